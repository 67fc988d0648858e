package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ofTheHost matches things that belong to the host, the program that the server is a guest in, by
// import path and name: the end of the process, its signals, limits, logs and environment.
var ofTheHost = regexp.MustCompile(`^(` + strings.Join([]string{
	`os\.(Exit|Setenv|Unsetenv|Clearenv|Chdir|Args|Stdin|Stdout)`,
	`os/signal\..*`,
	`log\.(Fatal|Panic|Set|Default).*`,
	`log/slog\.(SetDefault|SetLogLoggerLevel)`,
	`runtime/debug\.(Set.*|FreeOSMemory|WriteHeapDump)`,
	`runtime\.(GC|SetBlockProfileRate|SetMutexProfileFraction|SetCPUProfileRate|SetFinalizer|Goexit)`,
	`runtime/pprof\.(StartCPUProfile|SetGoroutineLabels|Do)`, `runtime/trace\.Start`,
	`math/rand\.Seed`, `net/http\.(Handle|HandleFunc|ListenAndServe.*|DefaultServeMux|DefaultClient|DefaultTransport)`, `expvar\.(Publish|New.*)`, `flag\.(Parse|.*Var|String|Int|Bool|Duration)`,
	`(syscall|golang.org/x/sys/unix)\.(Kill|Exit|Setrlimit|Prlimit|Umask|Chroot|Setuid|Setgid|Dup2|Dup3|Mlockall|Exec|Reboot|Setenv|Setpriority)`,
	`github.com/sirupsen/logrus\.(Set.*|AddHook|StandardLogger|(Fatal|Panic|Info|Warn|Error|Debug|Print)(f|ln)?|Exit|RegisterExitHandler)`,
	`go.opentelemetry.io/otel\.Set.*`,
}, "|") + `)$`)

// ofLibraries are variables of the SQL engine that this module sets. All servers of the process
// share them.
var ofLibraries = map[string]bool{
	"engine/globals/defaultmode.go github.com/dolthub/go-mysql-server/sql.DefaultSqlMode =":          true,
	"engine/globals/engine.go github.com/dolthub/go-mysql-server/sql.StatusVariables =":              true,
	"engine/globals/engine.go github.com/dolthub/go-mysql-server/sql.SystemVariables =":              true,
	"engine/executor/rollup.go github.com/dolthub/go-mysql-server/sql/planbuilder.IsAggregateFunc =": true,
	"engine/executor/sum.go github.com/dolthub/go-mysql-server/sql/planbuilder.IsAggregateFunc =":    true,
	"engine/globals/vitesslog.go github.com/dolthub/vitess/go/vt/log.Info =":                         true,
	"engine/globals/vitesslog.go github.com/dolthub/vitess/go/vt/log.Infof =":                        true,
	"engine/globals/vitesslog.go github.com/dolthub/vitess/go/vt/log.Warning =":                      true,
	"engine/globals/vitesslog.go github.com/dolthub/vitess/go/vt/log.Warningf =":                     true,
	"engine/globals/vitesslog.go github.com/dolthub/vitess/go/vt/log.Error =":                        true,
	"engine/globals/vitesslog.go github.com/dolthub/vitess/go/vt/log.Errorf =":                       true,
}

// onRequest is what the module uses of the host's only while a client with the privilege asks for it: a CPU profile, which fails if
// the host takes one itself, and labels on goroutines of the server's own connections.
var onRequest = map[string]bool{
	"engine/captures/profiler.go runtime/pprof.StartCPUProfile":    true,
	"engine/captures/profiler.go runtime/pprof.SetGoroutineLabels": true,
}

// TestGuestLeavesHostAlone: only packages of programs use things that belong to the host.
func TestGuestLeavesHostAlone(t *testing.T) {
	seen := map[string]bool{}
	root := "../.."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		local := filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))
		if d.IsDir() {
			switch {
			case local == "cmd", path.Base(local) == "bench", path.Base(local) == "differential", path.Base(local) == "testdata", name != root && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir // these packages are programs
			}
			return nil
		}
		if !strings.HasSuffix(local, ".go") || strings.HasSuffix(local, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "\npackage main\n") {
			return nil
		}
		for _, use := range hostUses(t, local, text) {
			seen[use] = true
			if !ofLibraries[use] && !onRequest[use] {
				t.Errorf("%s belongs to the host", use)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []map[string]bool{ofLibraries, onRequest} {
		for use := range list {
			if !seen[use] {
				t.Errorf("%s is listed, but no file uses it", use)
			}
		}
	}
}

// hostUses returns the uses in a file of things that belong to the host, as "file path.Name", with
// an = if the file sets the thing.
func hostUses(t *testing.T, name string, text []byte) (uses []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]string{}
	for _, i := range file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		local := path.Base(p)
		if i.Name != nil {
			local = i.Name.Name
		}
		imports[local] = p
	}
	of := func(n ast.Node) string { // the import path and name of a package's selector, "" if n is not one
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && imports[x.Name] != "" {
				return imports[x.Name] + "." + s.Sel.Name
			}
		}
		return ""
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if use := of(n); ofTheHost.MatchString(use) {
			uses = append(uses, name+" "+use)
		}
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, to := range a.Lhs {
				if use := of(to); use != "" && !strings.HasPrefix(use, modulePath+"/") {
					uses = append(uses, name+" "+use+" =")
				}
			}
		}
		return true
	})
	return uses
}

// TestHostUsesAreFound: hostUses finds uses under any name of the package.
func TestHostUsesAreFound(t *testing.T) {
	uses := hostUses(t, "x.go", []byte(`package x
import (
	"log"
	o "os"
	"os/signal"
	"runtime/debug"
	"runtime"
)
func f(c chan o.Signal) {
	log.Fatalf("x")
	o.Exit(1)
	signal.Notify(c)
	debug.SetGCPercent(1)
	_ = runtime.NumCPU()
	_ = debug.Stack()
	o.Stderr = nil
}`))
	want := "x.go log.Fatalf, x.go os.Exit, x.go os/signal.Notify, x.go runtime/debug.SetGCPercent, x.go os.Stderr ="
	if got := strings.Join(uses, ", "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
