package tabletest

import (
	"os"
	"strings"
	"testing"
)

// Facts reads a file of testdata/mysql84: each row by the column names in the file's first line.
func Facts(t testing.TB, path string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(line, "\t") {
			row[names[i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}
