package engine

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pairs is 82,000 rows.
const pairs = "information_schema.collations a CROSS JOIN information_schema.collations b"

// keepingNodes are the kinds of nodes of plans that keep rows or values, and a statement that has it keep more than 1 MiB.
var keepingNodes = map[string]string{
	"Block":             "ALTER TABLE d.t ADD COLUMN x INT, ADD COLUMN y INT", // its statements' answers, which are short
	"BeginEndBlock":     "",                                                   // the same of a program
	"CachedResults":     "SELECT COUNT(*) FROM (SELECT a.ID, CONCAT(b.ID) s FROM " + pairs + ") x JOIN (SELECT a.ID, CONCAT(b.ID) s FROM " + pairs + ") y ON x.ID < y.ID",
	"DeleteFrom":        "", // of users' tables it keeps none
	"Distinct":          "SELECT DISTINCT a.ID, b.ID FROM " + pairs,
	"GroupBy":           "SELECT COUNT(*) FROM " + pairs + " GROUP BY a.ID, b.ID",
	"HashLookup":        "SELECT COUNT(*) FROM information_schema.collations x JOIN (SELECT a.ID, CONCAT(b.ID) s FROM " + pairs + ") y ON x.ID = y.ID",
	"InsertInto":        "INSERT INTO mysql.time_zone_transition SELECT a.ID, b.ID, 1 FROM " + pairs, // into users' tables it keeps none
	"Into":              "SELECT a.ID, b.ID FROM " + pairs + " LIMIT 80000 INTO @x, @y",
	"JSONTable":         "SELECT COUNT(*) FROM JSON_TABLE(CONCAT('[1', REPEAT(',1', 100000), ']'), '$[*]' COLUMNS (x INT PATH '$')) j",
	"JoinNode":          "", // what is in a HashLookup or CachedResults is charged there; merge joins have a test of their own
	"LoadData":          "", // it is the source of an InsertInto
	"Project":           "SELECT " + strings.TrimSuffix(strings.Repeat("REPEAT('a', 300000), ", 8), ", "),
	"RecursiveCte":      "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT x.ID FROM r, " + "information_schema.collations x) SELECT COUNT(*) FROM r",
	"ResolvedTable":     "SELECT COUNT(*) FROM information_schema.COLUMNS",
	"Set":               "SET @a = REPEAT('a', 700000), @b = REPEAT('b', 700000), @c = REPEAT('c', 700000)",
	"SetOp":             "SELECT a.ID, b.ID FROM " + pairs + " UNION SELECT 1, 2",
	"Sort":              "SELECT a.ID, b.ID FROM " + pairs + " ORDER BY b.ID, a.ID",
	"TopN":              "SELECT a.ID, REPEAT('a', 1000) x FROM " + pairs + " ORDER BY b.ID, a.ID LIMIT 2000",
	"Update":            "", // of users' tables it keeps none
	"UpdateJoin":        "UPDATE d.many m JOIN d.many n ON m.a = n.a AND m.b = 1 SET m.c = 'z', n.c = REPEAT('y', 2000)",
	"ValueDerivedTable": "", // it has the rows that the statement names
	"Values":            "INSERT INTO d.texts VALUES " + strings.TrimSuffix(strings.Repeat("(REPEAT('a', 300000)), ", 8), ", "),
	"Window":            "SELECT a.ID, ROW_NUMBER() OVER (ORDER BY b.ID) FROM " + pairs,
	"Concat":            "", // it stands for an OR of a join, and is charged for the hashes of its left side
	"RecursiveTable":    "", // it reads the rows of the RecursiveCte around it
	"TableCopier":       "", // it is an InsertInto
	"UpdateSource":      "", // it is the source of an Update
}

// keepsNothing are the other kinds: they keep no rows, or one at a time, or as many as objects of a database have columns, indexes
// and the like.
const keepsNothing = `AddColumn AlterAutoIncrement AlterDB AlterDefaultDrop AlterDefaultSet AlterIndex AlterPK AlterTableCollation
	AlterTableComment AlterUser AnalyzeTable Binlog Call CaseStatement ChangeReplicationFilter ChangeReplicationSource Close Commit
	CreateCheck CreateDB CreateForeignKey CreateIndex CreateProcedure CreateRole CreateSavepoint CreateSchema CreateSpatialRefSys
	CreateTable CreateTrigger CreateUser CreateView DeallocateQuery DeclareCondition DeclareCursor DeclareHandler DeclareVariables
	DeferredAsOfTable DeferredFilteredTable Describe DescribeQuery DropCheck DropColumn DropConstraint DropDB DropForeignKey
	DropHistogram DropIndex DropProcedure DropRole DropSchema DropTable DropTrigger DropUser DropView ElseCaseError EmptyTable
	ExecuteQuery ExternalProcedure Fetch Filter FlushPrivileges ForeignKeyHandler Grant GrantProxy GrantRole Having IfConditional
	IfElseBlock IndexedTableAccess InsertDestination Iterate Kill Leave Limit LockTables Loop Max1Row ModifyColumn NamedWindows
	Nothing Offset Open OrderedDistinct PrepareQuery PrependNode Procedure ProcedureResolvedTable ReleaseSavepoint Releaser
	RenameColumn RenameForeignKey RenameTable RenameUser Repeat ResetReplica Revoke RevokeProxy RevokeRole Rollback
	RollbackSavepoint ShowBinlogStatus ShowBinlogs ShowCharset ShowColumns ShowCreateDatabase ShowCreateEvent ShowCreateProcedure
	ShowCreateTable ShowCreateTrigger ShowDatabases ShowGrants ShowIndexes ShowPrivileges ShowProcessList ShowReplicaStatus
	ShowStatus ShowTableStatus ShowTables ShowTriggers ShowVariables ShowWarnings Signal SignalName SingleDropView StartReplica
	StartTransaction StopReplica SubqueryAlias TableAlias TableCountLookup TransformedNamedNode TriggerBeginEndBlock
	TriggerExecutor Truncate UnlockTables UnresolvedTable UpdateHistogram Use While With`

// keepingIterators are the iterators and buffers of the SQL engine, and ours, that have a list or a map, and how it is charged.
var keepingIterators = map[string]string{
	"rowexec.cachedResultsIter":        "by CachedResults",
	"rowexec.concatIter":               "by Concat",
	"rowexec.fullJoinIter":             "by JoinNode",
	"rowexec.groupByGroupingIter":      "ours takes its place",
	"rowexec.hashLookupGeneratingIter": "by HashLookup",
	"rowexec.mergeJoinIter":            "by JoinNode",
	"rowexec.rangeHeapJoinIter":        "by JoinNode",
	"rowexec.recursiveCteIter":         "by RecursiveCte",
	"rowexec.updateJoinIter":           "by UpdateJoin",
	"rowexec.binlogIter":               "nobody can have it built: a statement that is refused",
	"iters.ExceptIter":                 "ours takes its place",
	"iters.IntersectIter":              "ours takes its place",
	"iters.JsonTableRowIter":           "ours takes its place",
	"iters.JsonTableCol":               "ours takes its place",
	"iters.RecursiveTableIter":         "by RecursiveCte",
	"iters.distinctIter":               "ours takes its place",
	"iters.sortIter":                   "ours takes its place",
	"iters.topRowsIter":                "by TopN",
	"aggregation.countDistinctBuffer":  "ours takes its place",
	"aggregation.groupConcatBuffer":    "ours takes its place",
	"aggregation.jsonArrayBuffer":      "by its argument",
	"aggregation.varBaseBuffer":        "nothing is put into its list",
	"aggregation.jsonObjectBuffer":     "by its arguments",
	"aggregation.WindowIter":           "ours takes its place",
	"aggregation.WindowPartitionIter":  "ours takes its place",
	"executor.distinct":                "hold",
	"executor.setOp":                   "hold",
	"executor.groupBy":                 "hold",
	"executor.rowSort":                 "by Sort and TopN; its sorter has a hold",
	"executor.recursion":               "by RecursiveCte",
	"mysqlfuncs.documentBuffer":        "by its arguments",
	"executor.rollup":                  "hold",
	"executor.windows":                 "hold",
	"executor.concatBuffer":            "hold",
	"vtable.Scan":                      "its sortedRows have a hold; the rest is the columns of one table",
	"vtable.aggregate":                 "one cell a column",
	"infoschema.editedRows":            "by ResolvedTable",
	"executor.derivedRows":             "scales of columns alone",
	"executor.lookup":                  "one row, and the values that it is compared with",
	"writes.modify":                    "each of its tables has a hold",
	"writes.remove":                    "each of its tables has a hold",
}

// Each kind of node of a plan is known to keep rows, and is refused when these take too much, or to keep none. A kind that the
// SQL engine has and this test does not know fails it.
func TestEveryKindOfNodeIsCharged(t *testing.T) {
	oneAtATime(t)
	nothing := strings.Fields(keepsNothing)
	found := nodeKinds(t)
	for _, kind := range found {
		if _, ok := keepingNodes[kind]; ok == slices.Contains(nothing, kind) {
			t.Errorf("%s: does it keep rows?", kind)
		}
	}
	for _, kind := range slices.Concat(nothing, slices.Collect(maps.Keys(keepingNodes))) {
		if !slices.Contains(found, kind) {
			t.Errorf("the SQL engine has no %s", kind)
		}
	}
	r := serveAll(t, Options{})
	c, _ := r.conn(t)
	for _, q := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.t (a INT, b INT)", "CREATE TABLE d.texts (a LONGTEXT)",
		"CREATE TABLE d.many (a INT, b INT, c VARCHAR(2000), PRIMARY KEY (a, b))", "SET SESSION query_memory_limit = 1073741824",
		"INSERT IGNORE INTO d.many SELECT a.ID, b.ID, REPEAT('x', 2000) FROM " + pairs + " WHERE b.ID < 6",
	} {
		if err := readAll(c, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, q := range []string{"SET GLOBAL query_memory_limit = 1048576", "SET GLOBAL connection_memory_limit = 2097152"} {
		if err := readAll(c, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	c, _ = r.conn(t)
	// What users' tables keep is bounded, and the rest is in files.
	for _, q := range []string{"INSERT INTO d.t SELECT a.ID, b.ID FROM " + pairs, "UPDATE d.many SET c = REPEAT('y', 2000)", "DELETE FROM d.t"} {
		if err := readAll(c, q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(keepingNodes)) {
		q := keepingNodes[kind]
		if q == "" || kind == "Block" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			if err := readAll(c, q); !isRefused(err, "_memory_limit of ") {
				t.Errorf("%s: %v", q, err)
			}
			if err := readAll(c, "SELECT 1"); err != nil {
				t.Error(err)
			}
		})
	}
}

// nodeKinds are the kinds of nodes that the executor builds.
func nodeKinds(t *testing.T) (kinds []string) {
	file, err := goparser.ParseFile(token.NewFileSet(), filepath.Join(moduleDir(t), "sql", "rowexec", "node_builder.gen.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok {
			for _, e := range c.List {
				if name, ok := strings.CutPrefix(strings.TrimPrefix(types.ExprString(e), "*"), "plan."); ok {
					kinds = append(kinds, name)
				}
			}
		}
		return true
	})
	if len(kinds) < 100 {
		t.Fatalf("%d kinds of nodes", len(kinds))
	}
	return kinds
}

// moduleDir is where the sources of the SQL engine are.
func moduleDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/dolthub/go-mysql-server").Output()
	if err != nil {
		t.Skipf("no sources of the SQL engine: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// Each iterator and each buffer of an aggregate that has a list or a map of rows, values or hashes is known to be charged.
func TestEveryIteratorIsCharged(t *testing.T) {
	dir := moduleDir(t)
	found := map[string]bool{}
	for _, p := range append(packageDirs(t),
		filepath.Join(dir, "sql", "rowexec"), filepath.Join(dir, "sql", "iters"), filepath.Join(dir, "sql", "expression", "function", "aggregation"),
	) {
		for name, holds := range keepers(t, p) {
			found[name] = true
			switch how, ok := keepingIterators[name]; {
			case !ok && !holds:
				t.Errorf("%s: what is charged for what it keeps?", name)
			case how == "hold" && !holds:
				t.Errorf("%s has no hold", name)
			}
		}
	}
	for name := range keepingIterators {
		if !found[name] {
			t.Errorf("there is no %s, or it keeps nothing", name)
		}
	}
}

// packageDirs are the directories of this package and of those below it.
func packageDirs(t *testing.T) []string {
	t.Helper()
	dirs := []string{"."}
	for _, pattern := range []string{"*/doc.go", "*/*/doc.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no packages at %s: %v", pattern, err)
		}
		for _, f := range found {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	return dirs
}

// keepers are the types of a directory that are iterators of rows or buffers of aggregates and have a list or a map of what is
// neither an expression nor a description of a table, and whether they have a hold.
func keepers(t *testing.T, dir string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	structs, iterators := map[string]*ast.StructType{}, map[string]bool{}
	name := ""
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := goparser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		name = file.Name.Name
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						if st, ok := s.Type.(*ast.StructType); ok {
							structs[s.Name.Name] = st
						}
					}
				}
			case *ast.FuncDecl:
				if d.Recv == nil || d.Type.Params.NumFields() == 0 {
					continue
				}
				next := d.Name.Name == "Next" && d.Type.Results.NumFields() == 2 && types.ExprString(d.Type.Params.List[0].Type) == "*sql.Context"
				update := d.Name.Name == "Update" && d.Type.Params.NumFields() == 2
				if next || update {
					iterators[strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")] = true
				}
			}
		}
	}
	found := map[string]bool{}
	for it := range iterators {
		st := structs[it]
		if st == nil {
			continue
		}
		keeps, holds := false, false
		for _, f := range st.Fields.List {
			switch kind := types.ExprString(f.Type); {
			case kind == "*budget.Hold":
				holds = true
			case kind == "*rowSet" || strings.Contains(kind, "Cache") && !strings.Contains(kind, "plan."):
				keeps = true
			case strings.HasPrefix(kind, "[]") || strings.HasPrefix(kind, "map[") || strings.HasPrefix(kind, "*map["):
				keeps = keeps || !describes(kind)
			}
		}
		if keeps {
			found[name+"."+it] = holds
		}
	}
	return found
}

// describes tells whether a list is of what a statement is made of, or of a table's parts.
func describes(kind string) bool {
	return strings.HasPrefix(kind, "[][]") || slices.Contains(strings.Fields(`[]sql.Expression []string []int []sql.Closer []sql.Table
		[]schemaPositionDeleter []sql.IndexColumn []sql.Index []sql.Node map[string]sql.RowUpdater map[string]sql.DisposeFunc
		[]sql.EditOpenerCloser []sql.AggregationBuffer`), kind)
}
