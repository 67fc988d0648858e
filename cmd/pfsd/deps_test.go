package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says what packages may import besides the standard library: our own layers, and modules
// from elsewhere, * being any. A package belongs to the layer that it is or lies below.
var layers = map[string]struct{ ours, others []string }{
	"pfsd/ringbuf": {},
	"pfsd/timers":  {nil, []string{"golang.org/x/sys"}},
	"pfsd/instr":   {[]string{"pfsd/ringbuf", "pfsd/timers"}, []string{"golang.org/x/sys"}},
	"pfsd/tables":  {[]string{"pfsd/instr", "pfsd/ringbuf", "pfsd/timers"}, nil},
	"pfsd/engine":  {[]string{"pfsd/tables", "pfsd/instr", "pfsd/ringbuf", "pfsd/timers"}, []string{"*"}},
	// What the budgets are measured with; nothing imports it.
	"pfsd/instr/bench": {[]string{"pfsd/instr", "pfsd/ringbuf", "pfsd/timers"}, []string{"*"}},
	"pfsd/cmd":         {[]string{"pfsd/engine"}, []string{"github.com/go-sql-driver/mysql"}},
}

// Imports point down.
func TestImportsPointDown(t *testing.T) {
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "-tags=gms_pure_go", "pfsd/...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		root := layerOf(p.ImportPath)
		if root == "" {
			t.Errorf("%s belongs to no layer", p.ImportPath)
		}
		layer := layers[root]
		seen[root] = true
		for _, i := range p.Imports {
			first, _, _ := strings.Cut(i, "/")
			switch {
			case first == "pfsd":
				if to := layerOf(i); to != root && !slices.Contains(layer.ours, to) {
					t.Errorf("%s must not import %s", p.ImportPath, i)
				}
			case strings.Contains(first, "."):
				if !under(i, layer.others) {
					t.Errorf("%s must not import %s", p.ImportPath, i)
				}
			}
		}
	}
	for root := range layers {
		if !seen[root] {
			t.Errorf("no package %s", root)
		}
	}
}

// layerOf returns the longest name of a layer that path is or lies below, "" if there is none.
func layerOf(path string) string {
	longest := ""
	for root := range layers {
		if len(root) > len(longest) && under(path, []string{root}) {
			longest = root
		}
	}
	return longest
}

// under tells whether path is one of the roots or lies below it; "*" is the root of everything.
func under(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return root == "*" || path == root || strings.HasPrefix(path, root+"/")
	})
}
