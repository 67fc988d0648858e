package engine

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// djangoChecks is how many checks the program of testdata/clients/django makes at the least.
const djangoChecks = 90

// TestDjango: a project of Django's makes its tables, alters them, and works with them as sites do, with both drivers.
func TestDjango(t *testing.T) {
	for _, driver := range []string{"pymysql", "MySQLdb"} {
		t.Run(driver, func(t *testing.T) {
			needClient(t, "django")
			r := serveClients(t)
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(clientDir+"/django")); err != nil {
				t.Fatal(err)
			}
			r.exec(t, "CREATE DATABASE site")
			// What it does to see it refused: a name that is there already, a price below 0, a maker that has items.
			expected := []string{"INSERT INTO `shop_maker`", "SET `price` = -1", "DELETE FROM shop_maker WHERE name"}
			for name, value := range map[string]string{"DRIVER": driver, "PORT": r.port(), "USER": "site", "PASSWORD": clientPassword, "PYTHONDONTWRITEBYTECODE": "1"} {
				t.Setenv(name, value)
			}
			r.visit(t, "site", "ALL ON site.*", expected, func() {
				out := runClient(t, "", debianPython, "-c", fmt.Sprintf("import os, sys; os.chdir(%[1]q); sys.path.insert(0, %[1]q); import work", dir))
				m := regexp.MustCompile(`(?s)^(\d+) checked\n$`).FindStringSubmatch(out)
				if m == nil {
					t.Fatalf("it says\n%s", strings.TrimSpace(out))
				}
				if n, _ := strconv.Atoi(m[1]); n < djangoChecks {
					t.Errorf("only %d checks", n)
				}
			})
		})
	}
}
