package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goBlock is a block of Go in a text in Markdown.
var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// aroundBlock makes a program from statements, which may use the names that it declares.
const aroundBlock = `package main

import (
	"context"
	"log"
	"os"

	"pfsd/engine"
)

func main() {
	ctx, password := context.Background(), os.Getenv("PASSWORD")
%s	log.Fatal(err)
}
`

// TestGoOfTheDocumentsCompiles: each block of Go in README.md and docs is a program, or statements
// of one.
func TestGoOfTheDocumentsCompiles(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, document := range append(documents, "../../README.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range goBlock.FindAllSubmatch(text, -1) {
			blocks++
			program := string(m[1])
			if !strings.HasPrefix(program, "package ") {
				program = fmt.Sprintf(aroundBlock, program)
			}
			t.Run(fmt.Sprint(filepath.Base(document), i), func(t *testing.T) {
				file, compiled := filepath.Join(t.TempDir(), "main.go"), strings.Replace(program, "package main", "package program", 1)
				if err := os.WriteFile(file, []byte(compiled), 0o600); err != nil {
					t.Fatal(err)
				}
				// The program is compiled as a package of this module, in which an overlay puts its
				// file. It is not linked.
				overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "testdata/program/main.go"): file}})
				if err != nil {
					t.Fatal(err)
				}
				list := filepath.Join(t.TempDir(), "overlay.json")
				if err := os.WriteFile(list, overlay, 0o600); err != nil {
					t.Fatal(err)
				}
				build := exec.Command("go", "build", "-overlay="+list, "-tags=gms_pure_go", "./testdata/program")
				build.Dir = root
				if out, err := build.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s\n%s", err, out, program)
				}
			})
		}
	}
	if blocks < 2 {
		t.Errorf("%d blocks", blocks)
	}
}
