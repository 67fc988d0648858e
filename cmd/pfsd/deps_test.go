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

// order has all packages: each imports only those that stand above it, and modules from elsewhere as it says, * being any.
var order = []struct {
	path    string
	modules []string
}{
	{"pfsd/timers", []string{"golang.org/x/sys"}},
	{"pfsd/ringbuf", nil},
	{"pfsd/instr/digest", nil},
	{"pfsd/instr", []string{"golang.org/x/sys"}},
	{"pfsd/tables", nil},
	{"pfsd/tables/tabletest", nil},

	// What needs nothing of the SQL engine.
	{"pfsd/engine/accounts", vitess},
	{"pfsd/engine/bounds", vitess},
	{"pfsd/engine/budget", nil},
	{"pfsd/engine/clientfiles", vitess},
	{"pfsd/engine/datadir", nil},
	{"pfsd/engine/explain", nil},
	{"pfsd/engine/mdl", nil},
	{"pfsd/engine/privilege", nil},
	{"pfsd/engine/processor", nil},
	{"pfsd/engine/secrets", nil},
	{"pfsd/engine/sys", nil},
	{"pfsd/engine/throttle", nil},
	{"pfsd/engine/workload", driver},
	{"pfsd/engine/errorlog", nil},
	{"pfsd/engine/certs", nil},

	// What stands between the SQL engine and the server.
	{"pfsd/engine/syntax", all},
	{"pfsd/engine/charge", all},
	{"pfsd/engine/compat", all},
	{"pfsd/engine/mysqldb", all},
	{"pfsd/engine/mysqlerr", all},
	{"pfsd/engine/access", all},
	{"pfsd/engine", all},
	{"pfsd/cmd/pfsd", driver},

	// What measures; nothing imports it.
	{"pfsd/instr/bench", all},
	{"pfsd/engine/bench/ratios", nil},
	{"pfsd/engine/bench/readings", nil},
	{"pfsd/engine/bench", all},
}

var (
	all    = []string{"*"}
	vitess = []string{"github.com/dolthub/vitess"}
	driver = []string{"github.com/go-sql-driver/mysql"}
)

// Imports point up in the order, and each package stands in it.
func TestImportsFollowTheOrder(t *testing.T) {
	place := map[string]int{}
	for i, p := range order {
		place[p.path] = i
	}
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
		own, ok := place[p.ImportPath]
		if !ok {
			t.Errorf("%s does not stand in the order", p.ImportPath)
			continue
		}
		seen[p.ImportPath] = true
		for _, i := range p.Imports {
			first, _, _ := strings.Cut(i, "/")
			switch {
			case first == "pfsd":
				if to, ok := place[i]; ok && to >= own {
					t.Errorf("%s must not import %s, which stands below it in the order", p.ImportPath, i)
				}
			case strings.Contains(first, "."):
				if !under(i, order[own].modules) {
					t.Errorf("%s must not import %s", p.ImportPath, i)
				}
			}
		}
	}
	for _, p := range order {
		if !seen[p.path] {
			t.Errorf("no package %s", p.path)
		}
	}
}

// under tells whether path is one of the roots or lies below it; "*" is the root of everything.
func under(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return root == "*" || path == root || strings.HasPrefix(path, root+"/")
	})
}
