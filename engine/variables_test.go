package engine

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/engine/mysqlerr"
	"pfsd/instr"
	"pfsd/tables/tabletest"
)

// mysqlFacts reads a file of testdata/mysql84: the rows by what the file's first line says.
func mysqlFacts(t *testing.T, file string) []map[string]string {
	t.Helper()
	return tabletest.Facts(t, filepath.Join("..", "testdata", "mysql84", file))
}

// sizeFacts are the facts about MySQL's sizes, all of which this server has.
func sizeFacts(t *testing.T) (facts []map[string]string) {
	for _, f := range mysqlFacts(t, "variables.tsv") {
		if strings.HasPrefix(f["type"], "integer") {
			facts = append(facts, f)
		}
	}
	return facts
}

func TestErrorSizeOption(t *testing.T) {
	r := serveAll(t, parse(t, "--port=0", "--performance-schema-error-size=2").Options)
	r.fails(t, "SELEC", "1064 42000 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC' at line 1")
	r.want(t, "SELECT ERROR_NUMBER, SUM_ERROR_RAISED FROM events_errors_summary_global_by_error", "NULL|1", fmt.Sprintf("%d|0", mysqlerr.All()[0].Number))
	none := serveAll(t, parse(t, "--port=0", "--performance-schema-error-size=0").Options)
	none.fails(t, "SELECT * FROM nosuch", "1146 42S02 Table 'performance_schema.nosuch' doesn't exist")
	for _, by := range []string{"global", "by_thread", "by_account", "by_user", "by_host"} {
		none.want(t, "SELECT * FROM events_errors_summary_"+by+"_by_error")
	}
}

// The variables show what is in force, have MySQL's types and cannot be set.
func TestVariables(t *testing.T) {
	oneAtATime(t)
	r := serve(t, parse(t, "--port=0").Options)
	for _, f := range sizeFacts(t) {
		name, want := f["name"], f["default"]
		switch {
		case strings.HasSuffix(name, "_history_size"):
			want = "10"
		case strings.HasSuffix(name, "_history_long_size"), name == "performance_schema_digests_size":
			want = "10000"
		case name == "performance_schema_error_size":
			want = strconv.Itoa(len(mysqlerr.All()) + 1)
		case name == "performance_schema_session_connect_attrs_size":
			want = "512"
		}
		r.checkVariable(t, name, f["type"], want)
		if f["dynamic"] == "YES" {
			continue // see TestSampleAge
		}
		for _, c := range []struct{ statement, want string }{
			{"SET GLOBAL %s = 1", "1238 HY000 Variable '%s' is a read only variable"},
			{"SET SESSION %s = 1", "1238 HY000 Variable '%s' is a read only variable"},
			{"SET %s = 1", "1238 HY000 Variable '%s' is a read only variable"},
			{"SET @@GLOBAL.%s = DEFAULT", "1238 HY000 Variable '%s' is a read only variable"},
			{"SET GLOBAL %s = 'a'", "1238 HY000 Variable '%s' is a read only variable"},
			{"SET PERSIST %s = 1", "1238 HY000 Variable '%s' is a read only variable"},
			{"SELECT @@session.%s", "1238 HY000 Variable '%s' is a GLOBAL variable"},
			{"SELECT 1 + @@LOCAL.%s FROM DUAL", "1238 HY000 Variable '%s' is a GLOBAL variable"},
			{"SET @a = @@session.%s", "1238 HY000 Variable '%s' is a GLOBAL variable"},
		} {
			r.fails(t, fmt.Sprintf(c.statement, name), fmt.Sprintf(c.want, name))
		}
	}
	var unknown []map[string]string
	for _, f := range mysqlFacts(t, "variables.tsv") {
		if f["shown"] == "NO" {
			unknown = append(unknown, f)
		}
	}
	for _, f := range unknown {
		name := f["name"]
		r.want(t, "SHOW GLOBAL VARIABLES LIKE '"+name+"'")
		want := "1193 HY000 Unknown system variable '" + name + "'"
		for _, statement := range []string{"SELECT @@%s", "SELECT @@session.%s", "SELECT @@global.%s", "SET GLOBAL %s = 1", "SET %s = 1"} {
			r.fails(t, fmt.Sprintf(statement, name), want)
		}
	}
	for statement, want := range map[string]string{
		"SET GLOBAL performance_schema = 0":                                                "1238 HY000 Variable 'performance_schema' is a read only variable",
		"SELECT @@session.performance_schema":                                              "1238 HY000 Variable 'performance_schema' is a GLOBAL variable",
		"SET SESSION sql_mode = '', GLOBAL performance_schema_users_size = 1":              "1238 HY000 Variable 'performance_schema_users_size' is a read only variable",
		"SELECT 1 FROM DUAL WHERE 1 IN (SELECT @@session.`Performance_Schema_Hosts_Size`)": "1238 HY000 Variable 'performance_schema_hosts_size' is a GLOBAL variable",
	} {
		r.fails(t, statement, want)
	}
	if _, err := r.db.Prepare("SELECT @@session.performance_schema_users_size + ?"); code(err) != "1238 HY000 Variable 'performance_schema_users_size' is a GLOBAL variable" {
		t.Error(code(err))
	}
	// A variable of a user's may have any name.
	r.exec(t, "SET @performance_schema_anything = @@performance_schema_users_size")
}

func TestVariablesShowOptions(t *testing.T) {
	oneAtATime(t)
	args := []string{"--port=0"}
	have := sizeFacts(t)
	for _, f := range have {
		args = append(args, "--"+f["name"]+"="+f["max"])
	}
	r := serve(t, parse(t, args...).Options)
	for _, f := range have {
		r.checkVariable(t, f["name"], f["type"], f["max"])
	}
	// What a program has set is shown too, if MySQL would take it or not.
	reg := instr.NewRegistry()
	reg.Setup().SetLimit(instr.LimitMutexClasses, 3000)
	reg.Setup().SetLimit(instr.LimitHosts, 5)
	reg.Setup().SetHistorySize(instr.FamilyWaits, 2000)
	r = serve(t, Options{Registry: reg})
	r.checkVariable(t, "performance_schema_max_mutex_classes", "integer unsigned", "3000")
	r.checkVariable(t, "performance_schema_hosts_size", "integer", "5")
	r.checkVariable(t, "performance_schema_events_waits_history_size", "integer", "2000")
	r.checkVariable(t, "performance_schema_max_metadata_locks", "integer", "-1")
}

// checkVariable looks at a variable in each way.
func (r *running) checkVariable(t *testing.T, name, typ, want string) {
	t.Helper()
	for _, show := range []string{"SHOW VARIABLES", "SHOW GLOBAL VARIABLES", "SHOW SESSION VARIABLES"} {
		r.want(t, show+" LIKE '"+name+"'", name+"|"+want)
		r.want(t, show+" WHERE Variable_name = '"+strings.ToUpper(name)+"'", name+"|"+want)
	}
	r.want(t, fmt.Sprintf("SELECT @@%s, @@GLOBAL.%[1]s, @@global.`%[2]s`", name, strings.ToUpper(name)), want+"|"+want+"|"+want)
	rows, err := r.db.Query("SELECT @@" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	wantType := map[string]string{"integer": "BIGINT", "integer unsigned": "UNSIGNED BIGINT"}[typ]
	if got := types[0].DatabaseTypeName(); got != wantType {
		t.Errorf("%s is a %s, want %s", name, got, wantType)
	}
}

// fails runs a statement that must end with an error.
func (r *running) fails(t *testing.T, statement, want string) {
	t.Helper()
	if _, err := r.db.Exec(statement); code(err) != want {
		t.Errorf("%s\n got %s\nwant %s", statement, code(err), want)
	}
}

// Each status variable that MySQL has of what is lost is there, and 0 at first; two servers
// of a process do not see each other's.
func TestStatusVariables(t *testing.T) {
	oneAtATime(t)
	r, other := serveAll(t, Options{}), serveAll(t, Options{})
	facts := mysqlFacts(t, "status.tsv")
	lost := map[string]bool{}
	for _, f := range facts {
		lost[f["name"]] = true
		for _, show := range []string{"SHOW STATUS", "SHOW GLOBAL STATUS"} {
			want := f["name"] + "|0"
			if strings.HasSuffix(want, "longest_seen|0") {
				want = fmt.Sprint(f["name"], "|", r.reg.Reader().ConnectAttrsLongestSeen()) // this client's
			}
			r.want(t, show+" LIKE '"+f["name"]+"'", want)
		}
	}
	if r.reg.Reader().ConnectAttrsLongestSeen() == 0 {
		t.Error("the client has said nothing of itself")
	}
	for l := range instr.LimitCount {
		if l.LostName() != "" && !lost["Performance_schema_"+l.LostName()] {
			t.Errorf("MySQL counts no %s", l.LostName())
		}
	}
	const ours = 10 // Performance_schema_active_session_samples, _active_session_samples_lost, _active_session_samples_unbroken, _active_session_writes_lost, _goroutine_threads_lost, _goroutines_lost, _history_buckets_lost, _history_keys_lost, _instance_histograms_lost, _thread_statistics_lost
	if got := r.query(t, "SHOW GLOBAL STATUS LIKE 'performance\\_schema\\_%'"); len(got) != len(facts)+ours {
		t.Errorf("%d variables, want %d: %q", len(got), len(facts)+ours, got)
	}
	r.reg.Setup().SetLimit(instr.LimitMutexInstances, 0)
	for range 3 {
		r.reg.NewMutex("test/lost")
	}
	r.want(t, "SHOW STATUS LIKE 'Performance_schema_mutex_instances_lost'", "Performance_schema_mutex_instances_lost|3")
	other.want(t, "SHOW STATUS LIKE 'Performance_schema_mutex_instances_lost'", "Performance_schema_mutex_instances_lost|0")
}

func TestSampleAge(t *testing.T) {
	const name = "performance_schema_max_digest_sample_age"
	r := serve(t, Options{})
	other := serve(t, Options{})
	before := &running{Server: r.Server, db: r.open(t, "")}
	before.db.SetMaxOpenConns(1)
	before.want(t, "SELECT @@"+name, "60")
	r.exec(t, "SET GLOBAL "+name+" = 7")
	for _, read := range []string{"SELECT @@" + name, "SELECT 3 + @@" + name + " - 3", "SELECT @@GLOBAL." + name} {
		before.want(t, read, "7")
		r.want(t, read, "7")
	}
	for _, show := range []string{"SHOW VARIABLES", "SHOW SESSION VARIABLES", "SHOW GLOBAL VARIABLES"} {
		before.want(t, show+" LIKE '"+name+"'", name+"|7")
	}
	before.want(t, "SHOW VARIABLES WHERE Variable_name IN ('performance_schema', '"+name+"')", "performance_schema|ON", name+"|7")
	r.fails(t, "SET "+name+" = 8", "1229 HY000 Variable '"+name+"' is a GLOBAL variable and should be set with SET GLOBAL")
	before.want(t, "SELECT @@"+name, "7")
	r.want(t, "SELECT @@GLOBAL."+name, "7")
	r.want(t, "SHOW GLOBAL VARIABLES LIKE '"+name+"'", name+"|7")
	if got, want := r.reg.Setup().MaxDigestSampleAge(), 7*time.Second; got != want {
		t.Errorf("%v is in force, want %v", got, want)
	}
	if got, want := other.reg.Setup().MaxDigestSampleAge(), time.Minute; got != want {
		t.Errorf("another server has %v, want %v", got, want)
	}
	r.fails(t, "SELECT @@session."+name, "1238 HY000 Variable '"+name+"' is a GLOBAL variable")
}
