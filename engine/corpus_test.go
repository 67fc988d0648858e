package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"pfsd/tables"
)

// TestCorpus runs the statements of clients in testdata/corpus.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../testdata/corpus/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no statements: %v", err)
	}
	total := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		statements := strings.Split(strings.TrimSpace(string(text)), ";\n")
		total += len(statements)
		t.Run(strings.TrimSuffix(filepath.Base(f), ".sql"), func(t *testing.T) {
			t.Parallel()
			r := serve(t, Options{}, tables.All()...)
			for _, s := range []string{"CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT PRIMARY KEY, n INT)", "INSERT INTO shop.orders VALUES (1, 2), (3, 4)", "SELECT SUM(n) FROM shop.orders"} {
				r.exec(t, s)
			}
			c := dialGo(false)(t, r.addr, "", "root")
			defer c.close()
			for _, s := range statements {
				s = strings.TrimSuffix(s, ";")
				want := ""
				if rest, ok := strings.CutPrefix(s, "-- error "); ok {
					want, s, _ = strings.Cut(rest, "\n")
				}
				_, err := c.run(s)
				number := ""
				if e := (*mysql.MySQLError)(nil); errors.As(err, &e) {
					number = strconv.Itoa(int(e.Number))
				}
				if number != want || want == "" && err != nil {
					t.Errorf("%s\n got %v, want error %q", s, err, want)
				}
			}
		})
	}
	if total < 125 {
		t.Errorf("only %d statements", total)
	}
}
