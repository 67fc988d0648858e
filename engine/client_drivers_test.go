package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// driven is what the programs of testdata/clients for other languages' drivers print, by its name.
var driven = map[string]string{
	"attribute":         `"visitor"`,
	"text":              `["2","é","18446744073709551615","-1.50","1.5","2026-11-21","2026-11-21 23:59:59.000001","-01:02:03","null"]`,
	"prepared":          `["2","é","18446744073709551615","-1.50","1.5","2026-11-21","2026-11-21 23:59:59.000001","-01:02:03","null"]`,
	"parameters":        `["42","é'","1"]`,
	"inserted":          `[2,1]`,
	"inserted_prepared": `[1,3]`,
	"duplicate":         `[1062,"23000"]`,
	"in_transaction":    `["1"]`,
	"after_it":          `["0","0"]`,
	"several":           `[["1"],["2","3"],["4"]]`,
	"call":              `[[["5"]],[["6","two"],["7","three"]]]`,
	"call_prepared":     `[[["6"]],[["7","two"],["8","three"]]]`,
	"streamed":          `10000`,
	"batched":           `3`,
	"reset":             `["1"]`,
	"changed_user":      `["other","performance_schema","1"]`,
	"ping":              `true`,
	"pooled":            `["2","4","6","8","10","12"]`,
}

// TestDrivers runs drivers of other languages.
func TestDrivers(t *testing.T) {
	npm := func(name string) func(*testing.T) {
		return func(t *testing.T) {
			needProgram(t, "node", "nodejs npm")
			need(t, name, "npm ci in testdata/clients", func() error { _, err := os.Stat(clientDir + "/node_modules/" + name); return err })
		}
	}
	python := func(module string) func(*testing.T) {
		return func(t *testing.T) {
			need(t, module, "apt-get install python3-"+strings.ToLower(module), func() error { return exec.Command(debianPython, "-c", "import "+module).Run() })
		}
	}
	for name, d := range map[string]struct {
		need    func(*testing.T)
		command []string
		lacks   []string          // of driven
		differs map[string]string // from driven
	}{
		"mysql2":  {npm("mysql2"), []string{"node", clientDir + "/mysql2.mjs"}, []string{"reset", "batched"}, nil},
		"mariadb": {npm("mariadb"), []string{"node", clientDir + "/mariadb.mjs"}, []string{"changed_user"}, nil},
		"pymysql": {
			python("pymysql"), []string{debianPython, clientDir + "/python.py", "pymysql"},
			[]string{"prepared", "inserted_prepared", "call_prepared", "reset", "changed_user", "pooled"}, map[string]string{"duplicate": "1062"},
		},
		"mysqlclient": {
			python("MySQLdb"), []string{debianPython, clientDir + "/python.py", "MySQLdb"},
			[]string{"prepared", "inserted_prepared", "call_prepared", "reset", "pooled"}, map[string]string{"duplicate": "1062", "attribute": `"libmariadb"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d.need(t)
			r := serveClients(t)
			r.exec(t, "CREATE TABLE test.visited (id INT AUTO_INCREMENT PRIMARY KEY, word VARCHAR(20))")
			r.exec(t, "CREATE TABLE test.batched (id INT PRIMARY KEY, word VARCHAR(20))")
			r.exec(t, "CREATE PROCEDURE test.visit(n INT) BEGIN SELECT n; SELECT n + 1, 'two' UNION ALL SELECT n + 2, 'three'; END")
			r.exec(t, fmt.Sprintf("CREATE USER other IDENTIFIED BY '%s'", clientPassword))
			r.exec(t, "GRANT SELECT ON performance_schema.* TO other")
			r.visit(t, "visitor", "ALL ON *.*", []string{"INSERT INTO"}, func() {
				const q = "SELECT EVENT_NAME, SUM_TIMER_WAIT FROM events_waits_summary_global_by_event_name"
				b := r.bracket(t, map[string]string{"figures": q, "figures_prepared": q})
				args := append(d.command[1:], r.port(), "visitor", "other", clientPassword)
				out := map[string]json.RawMessage{}
				if err := json.Unmarshal([]byte(runClient(t, "", d.command[0], args...)), &out); err != nil {
					t.Fatal(err)
				}
				want := maps.Clone(driven)
				maps.Copy(want, d.differs)
				for _, name := range d.lacks {
					delete(want, name)
				}
				for name, text := range want {
					var got any
					_ = json.Unmarshal(out[name], &got)
					if b, _ := json.Marshal(got); string(b) != text {
						t.Errorf("%s: got %s, want %s", name, b, text)
					}
				}
				if out["figures_prepared"] == nil {
					delete(b.queries, "figures_prepared")
				}
				b.check(t, func(name string) (got figures) {
					if err := json.Unmarshal(out[name], &got); err != nil {
						t.Error(err)
					}
					return got
				})
			})
		})
	}
}

// debianPython is the interpreter that sees Debian's packages, whatever else is called python3.
const debianPython = "/usr/bin/python3"
