package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
)

// TestLookups: what a join or a correlated subquery finds through an index is what the same
// condition selects without one.
func TestLookups(t *testing.T) {
	oneAtATime(t)
	r := serveAll(t, Options{})
	// The server's own locks are held now by one, now by another thread.
	r.reg.Setup().AddPattern("wait/synch/mutex/sql/%", instr.PatternOff)
	class := r.reg.NewFileClass("test/data")
	dir := t.TempDir()
	for _, name := range []string{"a", "A", "é", "trailing "} {
		f, err := class.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
	}
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	for i, account := range [][2]string{{"joe", "db1"}, {"Joe", "db1"}, {"joe", "db2"}, {"jöe", ""}, {"", ""}} {
		begun := make(chan struct{})
		r.reg.Go(fmt.Sprintf("test/worker%d", i%2), func() {
			instr.Current().SetAccount(account[0], account[1])
			close(begun)
			<-done
		})
		<-begun
	}
	m := r.reg.NewMutex("test/m")
	m.Lock()
	defer m.Unlock()

	for _, pair := range []struct{ outer, inner string }{
		{"users", "accounts"}, {"users", "users"}, {"hosts", "hosts"}, {"accounts", "accounts"},
		{"users", "threads"}, {"hosts", "threads"}, {"accounts", "threads"}, {"threads", "users"},
		{"threads", "hosts"}, {"threads", "accounts"}, {"threads", "threads"}, {"threads", "mutex_instances"},
		{"mutex_instances", "threads"}, {"threads", "processlist"}, {"file_instances", "file_summary_by_instance"},
		{"file_summary_by_instance", "file_instances"}, {"setup_threads", "threads"}, {"threads", "setup_threads"},
		{"setup_actors", "setup_actors"}, {"setup_actors", "accounts"}, {"setup_consumers", "users"},
	} {
		columns := map[string][]string{
			"users": {"USER"}, "hosts": {"HOST"}, "accounts": {"USER", "HOST"}, "setup_actors": {"USER", "HOST"},
			"threads":         {"PROCESSLIST_USER", "PROCESSLIST_HOST", "PROCESSLIST_ID", "THREAD_ID", "NAME"},
			"mutex_instances": {"LOCKED_BY_THREAD_ID", "NAME"}, "processlist": {"ID", "USER"}, "setup_consumers": {"NAME"},
			"file_instances": {"FILE_NAME"}, "file_summary_by_instance": {"FILE_NAME", "EVENT_NAME"}, "setup_threads": {"NAME"},
		}
		for _, o := range columns[pair.outer] {
			for _, i := range columns[pair.inner] {
				for _, equals := range []string{"=", "<=>"} {
					on := fmt.Sprintf("o.%s %s i.%s", o, equals, i)
					for _, q := range []string{
						"SELECT o.%[1]s, i.%[2]s FROM %[3]s o JOIN %[4]s i ON %[5]s",
						"SELECT o.%[1]s, i.%[2]s FROM %[3]s o LEFT JOIN %[4]s i ON %[5]s",
						"SELECT o.%[1]s FROM %[3]s o WHERE EXISTS (SELECT 1 FROM %[4]s i WHERE %[5]s)",
						"SELECT o.%[1]s FROM %[3]s o WHERE NOT EXISTS (SELECT 1 FROM %[4]s i WHERE %[5]s)",
						"SELECT o.%[1]s, (SELECT COUNT(*) FROM %[4]s i WHERE %[5]s) FROM %[3]s o",
					} {
						if o == "THREAD_ID" || o == "PROCESSLIST_ID" || o == "LOCKED_BY_THREAD_ID" || o == "ID" {
							if i == "NAME" || i == "USER" || i == "HOST" || i == "PROCESSLIST_USER" || i == "PROCESSLIST_HOST" {
								continue // a number is compared with a text that is none
							}
						} else if i == "THREAD_ID" || i == "PROCESSLIST_ID" || i == "LOCKED_BY_THREAD_ID" || i == "ID" {
							continue
						}
						text := fmt.Sprintf(q, o, i, pair.outer, pair.inner, on)
						got := r.query(t, text)
						want := r.query(t, fmt.Sprintf(q, o, i, pair.outer, pair.inner, "IF("+on+", 1, 0) = 1"))
						slices.Sort(got)
						slices.Sort(want)
						if !slices.Equal(got, want) {
							t.Errorf("%s\n got %q\nwant %q", text, got, want)
						}
					}
				}
			}
		}
	}
}

// TestJoinsOnSubqueries: a subquery in the condition of a join sees the rows of both sides,
// however they are joined.
func TestJoinsOnSubqueries(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	for _, q := range []string{
		"CREATE TABLE test.a (s VARCHAR(9), i INT, m INT)", "INSERT INTO test.a VALUES ('x', 1, 10), ('y', 2, 20), ('z', 3, 0)",
		"CREATE TABLE test.b (i INT, m INT)", "INSERT INTO test.b VALUES (1, 10), (1, 5), (2, 20), (3, 30)",
	} {
		r.exec(t, q)
	}
	for _, how := range []string{"INNER", "HASH"} {
		for _, order := range []string{"a, b", "b, a"} {
			hint := fmt.Sprintf("/*+ JOIN_ORDER(%s) %s_JOIN(%s) */", order, how, order)
			r.want(t, "SELECT "+hint+" a.s, b.m FROM test.a a JOIN test.b b ON a.i = b.i AND a.m = (SELECT MAX(m) FROM test.b n WHERE n.i = a.i) ORDER BY 1, 2", "x|5", "x|10", "y|20")
			r.want(t, "SELECT "+hint+" a.s, b.m FROM test.a a JOIN test.b b ON a.i = b.i AND b.m = (SELECT MAX(m) FROM test.a n WHERE n.i = b.i) ORDER BY 1, 2", "x|10", "y|20")
			r.want(t, "SELECT "+hint+" a.s, b.m FROM test.a a JOIN test.b b ON a.i = b.i AND b.m = (SELECT MAX(m) FROM test.a n WHERE n.s = a.s) ORDER BY 1, 2", "x|10", "y|20")
		}
	}
}

// TestSortsOfLookups: what comes through an index has no order of its own.
func TestSortsOfLookups(t *testing.T) {
	r := serveAll(t, Options{})
	for _, host := range []string{"z", "a", "m"} {
		done := make(chan struct{})
		r.reg.Go("test/worker", func() {
			instr.Current().SetAccount("joe", host)
			close(done)
		})
		<-done
	}
	r.want(t, "SELECT USER, HOST FROM accounts WHERE USER = 'joe' ORDER BY USER, HOST", "joe|a", "joe|m", "joe|z")
	r.want(t, "SELECT USER, HOST FROM accounts WHERE USER = 'joe' ORDER BY USER DESC, HOST DESC", "joe|z", "joe|m", "joe|a")
	r.want(t, "SELECT USER, HOST FROM accounts WHERE USER IS NOT NULL ORDER BY USER, HOST", "joe|a", "joe|m", "joe|z", "root|localhost")
	r.want(t, "SELECT HOST FROM hosts WHERE HOST IN ('z', 'a') ORDER BY HOST DESC", "z", "a")
}
