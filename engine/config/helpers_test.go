package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pfsd/tables/tabletest"
)

var rewrite = flag.Bool("rewrite-docs", false, "write generated files anew")

// parse reads a command line with an empty environment.
func parse(t *testing.T, args ...string) *CommandLine {
	t.Helper()
	line, err := ParseCommandLine(args, nil)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return line
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// mysqlVariables returns the test data about the system variables of MySQL's Performance Schema.
func mysqlVariables(t *testing.T) []map[string]string {
	return tabletest.Facts(t, filepath.Join("..", "..", "testdata", "mysql84", "variables.tsv"))
}

// sizeFacts returns the test data about MySQL's sizes. This server has all of them.
func sizeFacts(t *testing.T) (facts []map[string]string) {
	for _, f := range mysqlVariables(t) {
		if strings.HasPrefix(f["type"], "integer") {
			facts = append(facts, f)
		}
	}
	return facts
}
