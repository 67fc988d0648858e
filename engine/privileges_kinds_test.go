package engine

import (
	"cmp"
	"go/ast"
	"go/importer"
	goparser "go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	vitess "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/connection"
	"pfsd/engine/nodes"
	"pfsd/engine/privilege"
	"pfsd/engine/programs"
	"pfsd/engine/rights"
	"pfsd/engine/statements"
	"pfsd/engine/syntax"
)

// goList is what go list prints.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-tags=gms_pure_go"}, args...)...).Output()
	if err != nil {
		t.Skip("no go command with the sources of the modules: ", err)
	}
	return strings.TrimSpace(string(out))
}

// sources parses the files of a directory, without tests.
func sources(t *testing.T, dir string) (all []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, " has no sources: ", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "sql.go" {
			continue // the generated parser has no types of statements
		}
		f, err := goparser.ParseFile(token.NewFileSet(), name, nil, goparser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// statementTypes are all types of statements that the parser of the SQL engine has; a test says that none is missing.
var statementTypes = []vitess.Statement{
	&vitess.AlterTable{}, &vitess.Analyze{}, &vitess.Begin{}, &vitess.BeginEndBlock{}, &vitess.Binlog{}, &vitess.Call{}, &vitess.CaseStatement{},
	&vitess.ChangeReplicationFilter{}, &vitess.ChangeReplicationSource{}, &vitess.CloseCursor{}, &vitess.Commit{}, &vitess.CreateRole{},
	&vitess.CreateSpatialRefSys{}, &vitess.CreateUser{}, &vitess.DBDDL{}, &vitess.DDL{}, &vitess.Deallocate{}, &vitess.Declare{}, &vitess.Delete{},
	&vitess.DropRole{}, &vitess.DropUser{}, &vitess.Execute{}, &vitess.Explain{Statement: &vitess.Select{}}, &vitess.FetchCursor{},
	&vitess.Flush{Option: &vitess.FlushOption{}}, &vitess.GrantPrivilege{}, &vitess.GrantProxy{}, &vitess.GrantRole{}, &vitess.IfStatement{},
	vitess.InjectedStatement{}, &vitess.Insert{}, &vitess.Iterate{}, &vitess.Kill{}, &vitess.Leave{}, &vitess.Load{}, &vitess.LockTables{}, &vitess.Loop{},
	&vitess.OpenCursor{}, &vitess.OtherAdmin{}, &vitess.OtherRead{}, &vitess.ParenSelect{Select: &vitess.Select{}}, &vitess.Prepare{},
	&vitess.PurgeBinaryLogs{}, &vitess.ReleaseSavepoint{}, &vitess.RenameUser{}, &vitess.Repeat{}, &vitess.ResetReplica{}, &vitess.Resignal{},
	&vitess.Return{}, &vitess.RevokePrivilege{}, &vitess.RevokeProxy{}, &vitess.RevokeRole{}, &vitess.Rollback{}, &vitess.RollbackSavepoint{},
	&vitess.Savepoint{}, &vitess.Select{}, &vitess.Set{}, &vitess.SetOp{}, &vitess.Show{}, &vitess.ShowGrants{}, &vitess.ShowPrivileges{}, &vitess.Signal{},
	&vitess.SrsAttribute{}, &vitess.StartReplica{}, &vitess.StopReplica{}, &vitess.Stream{}, &vitess.UnlockTables{}, &vitess.Update{}, &vitess.Use{},
	&vitess.While{},
}

// matrixSession is a session of an account of the matrix, as statements see it.
func matrixSession(t *testing.T, r *running, user string) (*sql.Context, *connection.Work) {
	t.Helper()
	return r.Server.handler.Unconnected(accounts.ID{User: user, Host: "localhost"})
}

// TestEveryStatementTypeHasRules: the parser of the SQL engine has no type of statement for which nothing says what it needs;
// what only the parser knows is refused.
func TestEveryStatementTypeHasRules(t *testing.T) {
	oneAtATime(t)
	var found []string
	for _, f := range sources(t, goList(t, "-f", "{{.Dir}}", "github.com/dolthub/vitess/go/vt/sqlparser")) {
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "iStatement" {
				typ := m.Recv.List[0].Type
				if p, ok := typ.(*ast.StarExpr); ok {
					typ = p.X
				}
				found = append(found, typ.(*ast.Ident).Name)
			}
		}
	}
	var listed []string
	r := matrixServer(t)
	ctx, w := matrixSession(t, r, "none")
	for _, s := range statementTypes {
		typ := reflect.TypeOf(s)
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		listed = append(listed, typ.Name())
		if kind := rights.AuthorizedKind(s, ""); kind == rights.UnknownStatement {
			if err := w.Rights.AuthorizeStatement(ctx, s, ""); err == nil {
				t.Errorf("%s is carried out for everybody", typ.Name())
			}
		} else if len(privilege.Rules()) == 0 || !privilege.Known(kind) {
			t.Errorf("%s, a %s, has no rules", typ.Name(), kind)
		}
	}
	slices.Sort(found)
	slices.Sort(listed)
	if !slices.Equal(found, listed) {
		t.Errorf("the parser has the statements\n%v\nand the test\n%v", found, listed)
	}
}

// TestEveryKindHasRules: each kind of statement that this server can tell from others has rules, and a statement in the
// matrix whose clauses they are; no rule is without one.
func TestEveryKindHasRules(t *testing.T) {
	known := map[string]string{}
	for _, kind := range statements.Kinds {
		known[kind] = "statementKinds"
	}
	for _, kind := range statements.ShowKinds {
		known[kind] = "showKinds"
	}
	assigned := map[string]*regexp.Regexp{
		"grammar":  regexp.MustCompile(`\bKind(?::| =) "(\w+)"|^\t(\w+) +[A-Z]{2}[A-Z |\[\]_]+$`),
		"accounts": regexp.MustCompile(`\bKind(?::| =) "(\w+)"()`),
		".":        regexp.MustCompile(`grammar\.Statement\{Kind: "(\w+)"()`),
	}
	for dir, pattern := range assigned {
		names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				for _, m := range pattern.FindAllStringSubmatch(strings.TrimRight(line, "\n"), -1) {
					known[m[1]+m[2]] = name
				}
			}
		}
	}
	// What Grammar makes into other statements, and parts of others.
	for _, kind := range []string{"show_open_tables", "explain", "explain_in", "reset_replica", "reset_binary_logs"} {
		delete(known, kind)
	}
	r := matrixServer(t)
	ctx, w := matrixSession(t, r, "none")
	rootCtx, _ := matrixSession(t, r, "root")
	seen := map[string]bool{}
	for _, line := range matrixLines(t) {
		parsed, one, _, _ := r.Server.handler.Engine.Parser.Parse(rootCtx, line.statement, false)
		plain, _ := syntax.Default.ParseSimple(line.statement) // a SHOW before it is a query
		for _, s := range []vitess.Statement{parsed, plain} {
			if s == nil {
				continue // the answer says so
			}
			s = w.Preparations.Fold(ctx, s)
			kind := rights.AuthorizedKind(s, one)
			seen[kind] = true
			for _, u := range rights.UsesOf(ctx, &w.Rights, s, kind) {
				seen[cmp.Or(u.Kind, kind)+" "+u.Clause] = true
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(known)) {
		if !privilege.Known(kind) {
			t.Errorf("%s of %s has no rules", kind, known[kind])
		}
	}
	for _, rule := range privilege.Rules() {
		switch rule.Kind {
		case privilege.Row, privilege.Part, privilege.Command, rights.UnknownStatement, "program", "error", "empty_query":
			continue
		}
		if name := rule.Kind + " " + rule.Clause; !seen[name] && !seldom[name] {
			t.Errorf("no statement of the matrix has the clause %s, in the scope %s", name, rule.Scope)
		}
	}
}

// seldom are the clauses of statements that the other tests of privileges carry out.
var seldom = map[string]bool{
	"kill connection": true, "kill protected": true, // TestKillOfOthers
	"reset persist_fixed": true, // TestResetPersist
}

// TestEveryPartHasRules: the notes that the parser makes in a syntax tree are all known, or are of statements about accounts,
// which are parsed by other means.
func TestEveryPartHasRules(t *testing.T) {
	oneAtATime(t)
	aboutAccounts := []string{
		"ALTER_USER", "CREATE_ROLE", "CREATE_USER", "DROP_ROLE", "GRANT_PRIVILEGE", "GRANT_PROXY", "GRANT_ROLE", "REVOKE_ALL", "REVOKE_PRIVILEGE",
		"REVOKE_PROXY", "REVOKE_ROLE",
	}
	text, err := os.ReadFile(filepath.Join(goList(t, "-f", "{{.Dir}}", "github.com/dolthub/vitess/go/vt/sqlparser"), "auth.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`AuthType_\w+\s+= "(\w+)"`).FindAllStringSubmatch(string(text), -1)
	if len(found) < 30 {
		t.Fatal("the parser has no types of notes any more: ", found)
	}
	for _, m := range found {
		if (privilege.For(privilege.Part, m[1]) == nil) != slices.Contains(aboutAccounts, m[1]) {
			t.Errorf("part %s: the table and the list of statements about accounts are to say one or the other", m[1])
		}
	}
	r := matrixServer(t)
	ctx, w := matrixSession(t, r, "selects")
	for _, info := range []vitess.AuthInformation{{AuthType: "NEW"}, {}, {AuthType: "SELECT", TargetType: "NEW"}, {AuthType: "ALTER_USER"}} {
		if err := w.Rights.AuthorizeRows(ctx, w.Rights.Access(), info); err == nil {
			t.Errorf("%+v is let through", info)
		}
	}
}

// TestEveryNodeHasRules: each node of plans, the SQL engine's and our own, is said to be carried out or not.
func TestEveryNodeHasRules(t *testing.T) {
	oneAtATime(t)
	const gms = "github.com/dolthub/go-mysql-server/sql"
	exports := map[string]string{}
	for line := range strings.Lines(goList(t, "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", gms+"/plan", "pfsd/engine/executor", "pfsd/engine/grammar")) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	load := func(path string) *types.Package {
		p, err := imports.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	node := load(gms).Scope().Lookup("Node").Type().Underlying().(*types.Interface)
	for _, path := range []string{gms + "/plan", "pfsd/engine/executor", "pfsd/engine/grammar"} {
		p := load(path)
		for _, name := range p.Scope().Names() {
			typ, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || types.IsInterface(typ.Type()) || !types.Implements(types.NewPointer(typ.Type()), node) {
				continue
			}
			if full := p.Name() + "." + name; !privilege.NodeKnown(full) {
				t.Errorf("%s is neither carried out nor refused", full)
			}
		}
	}
	for _, n := range []sql.Node{nodes.Answer{}, &programs.TriggerNode{}} {
		if !rights.KnownNode(n) {
			t.Errorf("%T is refused", n)
		}
	}
	// Our own are all that have the method Children.
	var files []*ast.File
	for _, dir := range packageDirs(t) {
		files = append(files, sources(t, dir)...)
	}
	for _, f := range files {
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil || m.Name.Name != "WithChildren" || m.Type.Results == nil || len(m.Type.Results.List) == 0 {
				continue
			}
			if result, ok := m.Type.Results.List[0].Type.(*ast.SelectorExpr); !ok || result.Sel.Name != "Node" {
				continue
			}
			typ := m.Recv.List[0].Type
			if p, ok := typ.(*ast.StarExpr); ok {
				typ = p.X
			}
			if name := f.Name.Name + "." + typ.(*ast.Ident).Name; !privilege.NodeKnown(name) {
				t.Errorf("%s is neither carried out nor refused", name)
			}
		}
	}
	type newNode struct{ nodes.Answer }
	if rights.KnownNode(newNode{}) {
		t.Error("a node that nothing is said of is carried out")
	}
}
