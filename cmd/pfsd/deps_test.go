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

// order has all packages of the module. Each imports only packages that come before it in the list,
// and the modules from elsewhere that are listed for it; * means any.
var order = []struct {
	path    string
	modules []string
}{
	{"timers", []string{"golang.org/x/sys"}},
	{"ringbuf", nil},
	{"instr/digest", nil},
	{"instr", []string{"golang.org/x/sys"}},
	{"instr/record", []string{"golang.org/x/sys"}},
	{"instr/instrexport", nil},
	{"instr/traceparent", nil},
	{"instr/instrgrpc", []string{"google.golang.org/grpc"}},
	{"instr/instrhttp", []string{"github.com/felixge/httpsnoop"}},
	{"instr/instrsql", nil},
	{"instr/instrotel", []string{"go.opentelemetry.io/otel"}},
	{"tables", nil},
	{"tables/tabletest", nil},
	{"tables/recorded", nil},
	{"tables/activesessions", nil},

	// Packages that need nothing of the SQL engine.
	{"engine/accounts", vitess},
	{"engine/bounds", vitess},
	{"engine/buildtag", nil},
	{"engine/budget", nil},
	{"engine/clientfiles", vitess},
	{"engine/datadir", nil},
	{"engine/explain", nil},
	{"engine/hints", nil},
	{"engine/load", nil},
	{"engine/mdl", nil},
	{"engine/panics", vitess},
	{"engine/privilege", nil},
	{"engine/processor", nil},
	{"engine/querylog", nil},
	{"engine/secrets", nil},
	{"engine/sys", nil},
	{"engine/throttle", nil},
	{"engine/txkv/overlay", pebble},
	{"engine/txkv", pebble},
	{"engine/history", []string{"github.com/google/uuid", "github.com/tidwall/btree"}},
	{"engine/workload", driver},
	{"engine/errorlog", nil},
	{"engine/certs", nil},

	// Packages between the SQL engine and the server.
	{"engine/neighbour", all},
	{"engine/charge", all},
	{"engine/syntax", all},
	{"engine/mends", nil},
	{"engine/mends/mendtest", nil},
	{"engine/grammar", all},
	{"engine/sqlvalue", all},
	{"engine/collations", all},
	{"engine/hexliterals", all},
	{"engine/sqlexpr", all},
	{"engine/builtins", all},
	{"engine/resultsize", all},
	{"engine/alldigits", all},
	{"engine/settypes", all},
	{"engine/executor", all},
	{"engine/mysqlerr", all},
	{"engine/sqltree", all},
	{"engine/routine", all},
	{"engine/globals", all},
	{"engine/planning", all},
	{"engine/mysqlfuncs", all},
	{"engine/mysqldb", all},
	{"engine/nodes", all},
	{"engine/sysvar", all},
	{"engine/config", nil},
	{"engine/wire", all},
	{"engine/access", all},
	{"engine/moment", all},
	{"engine/functions", all},
	{"engine/sysschema", all},
	{"engine/vtable", all},
	{"engine/infoschema", all},
	{"engine/statements", all},
	{"engine/kept", all},
	{"engine/usertables", all},
	{"engine/writes", all},
	{"engine/storage/codec", all},
	{"engine/storage/record", all},
	{"engine/storage", all},
	{"engine/explain/gmsplan", all},
	{"engine/serverfiles", all},
	{"engine/session", all},
	{"engine/diagnostics", all},
	{"engine/captures", all},
	{"engine/profiling", all},
	{"engine/rights", all},
	{"engine/processlist", all},
	{"engine/datalocks", all},
	{"engine/status", all},
	{"engine/plancache", all},
	{"engine/stages", all},
	{"engine/scheduler", all},
	{"engine/tableuse", all},
	{"engine/metering", all},
	{"engine/uservars", all},
	{"engine/userlocks", all},
	{"engine/catalog", all},
	{"engine/parsing", all},
	{"engine/results", all},
	{"engine/prepared", all},
	{"engine/programs", all},
	{"engine/connection", all},
	{"engine", all},
	{"engine/incident", driver},
	{"engine/pfsdweb", driver},
	{"cmd/pfsd/weave", nil},
	{"cmd/pfsd/top", terminal},
	{"cmd/pfsd", terminal[2:]},

	// Packages that measure; no package imports them.
	{"cmd/pfsd/weave/bench", nil},
	{"instr/bench", all},
	{"engine/bench/ratios", nil},
	{"engine/bench/readings", nil},
	{"engine/bench/signin", nil},
	{"engine/bench", all},
	{"engine/differential", nil},
}

var (
	all    = []string{"*"}
	vitess = []string{"github.com/dolthub/vitess"}
	driver = []string{"github.com/go-sql-driver/mysql"}
	// terminal draws on a terminal.
	terminal = []string{"charm.land/bubbletea/v2", "charm.land/bubbles/v2", "github.com/charmbracelet/x", "github.com/go-sql-driver/mysql"}
	pebble   = []string{"github.com/cockroachdb/pebble/v2", "github.com/tidwall/btree"}
)

// Each package is in the order, and imports only packages that come before it.
func TestImportsFollowTheOrder(t *testing.T) {
	place := map[string]int{}
	for i, p := range order {
		place[p.path] = i
	}
	list := exec.Command("go", "list", "-json=ImportPath,Imports,Module", "-tags=gms_pure_go", "../../...")
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
			Module     struct{ Path string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
		own, ok := place[path]
		if !ok {
			t.Errorf("%s is not in the order", path)
			continue
		}
		seen[path] = true
		for _, i := range p.Imports {
			first, _, _ := strings.Cut(i, "/")
			inner, isOurs := strings.CutPrefix(i, p.Module.Path+"/")
			switch {
			case isOurs:
				if to, ok := place[inner]; ok && to >= own {
					t.Errorf("%s must not import %s, which comes after it in the order", p.ImportPath, i)
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

// under tells whether path is one of the roots or is below one. The root "*" contains every path.
func under(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return root == "*" || path == root || strings.HasPrefix(path, root+"/")
	})
}
