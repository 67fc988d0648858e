package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// statusFacts are MySQL's status variables, in its order.
func statusFacts(t *testing.T) []map[string]string { return mysqlFacts(t, "status_variables.tsv") }

// column is the n-th cell of each row.
func column(rows []string, n int) (cells []string) {
	for _, r := range rows {
		cells = append(cells, strings.Split(r, "|")[n])
	}
	return cells
}

// SHOW STATUS and the tables have MySQL's names, each once, in its order, and where it has them.
func TestStatusNames(t *testing.T) {
	r := serveAll(t, Options{})
	var global, session, show, thread, actor []string
	for _, f := range statusFacts(t) {
		name, scope, kind := f["name"], f["scope"], f["kind"]
		show = append(show, name)
		if kind == "command" {
			continue
		}
		session = append(session, name)
		if scope != "SESSION" {
			global = append(global, name)
		}
		if scope != "GLOBAL" {
			thread = append(thread, name)
		}
		if kind == "counter" {
			actor = append(actor, name)
		}
	}
	var showGlobal []string
	for _, f := range statusFacts(t) {
		if f["scope"] != "SESSION" {
			showGlobal = append(showGlobal, f["name"])
		}
	}
	me := fmt.Sprint(strings.Join(r.query(t, "SELECT THREAD_ID FROM threads WHERE PROCESSLIST_ID = CONNECTION_ID()"), ""))
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"SHOW STATUS", show}, {"SHOW SESSION STATUS", show}, {"SHOW LOCAL STATUS", show}, {"SHOW GLOBAL STATUS", showGlobal},
		{"SELECT VARIABLE_NAME FROM global_status", global}, {"SELECT VARIABLE_NAME FROM session_status", session},
		{"SELECT VARIABLE_NAME FROM status_by_thread WHERE THREAD_ID = " + me, thread},
		{"SELECT VARIABLE_NAME FROM status_by_account WHERE USER = 'root'", actor},
		{"SELECT VARIABLE_NAME FROM status_by_user WHERE USER = 'root'", actor},
		{"SELECT VARIABLE_NAME FROM status_by_host WHERE HOST = 'localhost'", actor},
	} {
		if got := column(r.query(t, c.query), 0); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s", c.query, firstDifference(got, c.want))
		}
	}
}

// firstDifference says where two lists begin to differ.
func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			return fmt.Sprintf("%d names, want %d; number %d is %s, want %s", len(got), len(want), i, g, w)
		}
	}
	return "no difference"
}
