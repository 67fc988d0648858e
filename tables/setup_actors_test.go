package tables

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"pfsd/instr"
)

// insert adds a row of texts; a column that is not given has its default.
func insert(t *testing.T, reg *instr.Registry, table string, given row) error {
	t.Helper()
	tb := tableNamed(t, table)
	var values []Value
	for _, c := range tb.Columns() {
		v, ok := given[c.Name]
		if !ok {
			v = c.Default
		}
		values = append(values, Text(v))
	}
	return tb.Insert(Of(reg), values)
}

// columnOf reads one column of a table's rows, in order.
func columnOf(t *testing.T, reg *instr.Registry, table, column string) string {
	t.Helper()
	var all []string
	for _, r := range rows(t, reg, table) {
		all = append(all, r[column])
	}
	return strings.Join(all, " ")
}

func TestSetupActors(t *testing.T) {
	reg := instr.NewRegistry()
	expect(t, one(t, reg, "setup_actors"), row{"HOST": "%", "USER": "%", "ROLE": "%", "ENABLED": "YES", "HISTORY": "YES"})
	tb := tableNamed(t, "setup_actors")
	if err := insert(t, reg, "setup_actors", row{"HOST": "Here", "USER": "anna  ", "HISTORY": "no"}); err != nil {
		t.Error(err)
	}
	expect(t, one(t, reg, "setup_actors", is("USER", "anna")), row{"HOST": "Here", "USER": "anna", "ROLE": "%", "ENABLED": "YES", "HISTORY": "NO"})

	for _, c := range []struct {
		given  row
		want   error
		column string
	}{
		{row{}, ErrDuplicate, ""},
		{row{"HOST": "hERE", "USER": "anna"}, ErrDuplicate, ""},
		{row{"HOST": ""}, ErrEmptyName, ""},
		{row{"USER": "  "}, ErrEmptyName, ""},
		{row{"ROLE": ""}, ErrEmptyName, ""},
		{row{"USER": "x", "ENABLED": "MAYBE"}, ErrBadValue, "ENABLED"},
		{row{"USER": "x", "HISTORY": ""}, ErrBadValue, "HISTORY"},
		{row{"USER": strings.Repeat("x", 33)}, ErrTooLong, "USER"},
		{row{"USER": strings.Repeat("ä", 33)}, ErrTooLong, "USER"},
		{row{"HOST": strings.Repeat("x", 256)}, ErrTooLong, "HOST"},
		{row{"HOST": "hürth"}, ErrBadValue, "HOST"},
	} {
		err := insert(t, reg, "setup_actors", c.given)
		var of *ColumnError
		if !errors.Is(err, c.want) || errors.As(err, &of) != (c.column != "") || of != nil && of.Column != c.column {
			t.Errorf("INSERT %v: %v, want %v %s", c.given, err, c.want, c.column)
		}
	}
	if err := tb.Insert(Of(reg), []Value{Null, Text("x"), Text("%"), Text("YES"), Text("YES")}); !errors.Is(err, ErrNull) {
		t.Errorf("INSERT of NULL: %v", err)
	}
	for _, given := range []row{{"HOST": "here", "USER": "ANNA"}, {"USER": strings.Repeat("ä", 32)}, {"HOST": "here", "USER": "anna", "ROLE": "x"}} {
		if err := insert(t, reg, "setup_actors", given); err != nil {
			t.Errorf("INSERT %v: %v", given, err)
		}
	}
	reg.Setup().SetLimit(instr.LimitSetupActors, 5)
	if err := insert(t, reg, "setup_actors", row{"USER": "sixth"}); !errors.Is(err, ErrFull) {
		t.Errorf("INSERT beyond the limit: %v", err)
	}

	update := func(column, v string, key ...Eq) error { return tb.Update(Of(reg), key, column, Text(v)) }
	if err := update("ENABLED", "No", is("USER", "anna")); err != nil {
		t.Error(err)
	}
	if err := update("HISTORY", "yes", is("HOST", "HERE"), is("USER", "anna"), is("ROLE", "%")); err != nil {
		t.Error(err)
	}
	if got := columnOf(t, reg, "setup_actors", "ENABLED"); got != "YES NO YES YES NO" {
		t.Errorf("ENABLED is %s", got)
	}
	if got := columnOf(t, reg, "setup_actors", "HISTORY"); got != "YES YES YES YES YES" {
		t.Errorf("HISTORY is %s", got)
	}
	for _, c := range []string{"HOST", "USER", "ROLE"} {
		if err := update(c, "x"); !errors.Is(err, ErrColumnNotUpdatable) {
			t.Errorf("UPDATE %s: %v", c, err)
		}
	}
	if err := update("ENABLED", "YESS"); !errors.Is(err, ErrBadValue) {
		t.Errorf("UPDATE ENABLED: %v", err)
	}
	if err := tb.Update(Of(reg), nil, "ENABLED", Null); !errors.Is(err, ErrNull) {
		t.Errorf("UPDATE ENABLED = NULL: %v", err)
	}

	for _, key := range []Key{{is("USER", "Anna")}, {is("USER", "anna"), is("ROLE", "%")}} {
		if err := tb.Delete(Of(reg), key); err != nil {
			t.Error(err)
		}
	}
	if got := columnOf(t, reg, "setup_actors", "ROLE"); got != "% % % x" {
		t.Errorf("after the DELETE the roles are %s", got)
	}
	tb.Truncate(Of(reg))
	if n := len(rows(t, reg, "setup_actors")); n != 0 {
		t.Errorf("%d rows after TRUNCATE", n)
	}
	if err := insert(t, reg, "setup_actors", nil); err != nil {
		t.Error(err)
	}
	if err := tb.Delete(Of(reg), nil); err != nil || len(rows(t, reg, "setup_actors")) != 0 {
		t.Errorf("DELETE leaves %v: %v", rows(t, reg, "setup_actors"), err)
	}
}

// A login takes its switches from setup_actors.
func TestSetupActorsAtLogin(t *testing.T) {
	reg := instr.NewRegistry()
	tableNamed(t, "setup_actors").Truncate(Of(reg))
	for _, r := range []row{
		{"HOST": "here", "USER": "anna", "ENABLED": "YES", "HISTORY": "NO"},
		{"USER": "anna", "ENABLED": "NO", "HISTORY": "YES"},
		{"HOST": "here", "ENABLED": "NO", "HISTORY": "NO"},
	} {
		if err := insert(t, reg, "setup_actors", r); err != nil {
			t.Fatal(err)
		}
	}
	check := func(user, host, want string) {
		t.Helper()
		session(reg, user, host, func(th *instr.Thread) {
			r := one(t, reg, "threads", number("THREAD_ID", th.ID()))
			if got := r["INSTRUMENTED"] + " " + r["HISTORY"]; got != want {
				t.Errorf("%s@%s: %s, want %s", user, host, got, want)
			}
		})
	}
	check("anna", "HERE", "YES NO")
	check("anna", "there", "NO YES")
	check("berta", "here", "NO NO")
	check("berta", "there", "NO NO")
	check("ANNA", "there", "NO NO")
	if err := insert(t, reg, "setup_actors", nil); err != nil {
		t.Fatal(err)
	}
	check("berta", "there", "YES YES")
	if err := tableNamed(t, "setup_actors").Update(Of(reg), Key{is("USER", "anna"), is("HOST", "%")}, "ENABLED", Text("YES")); err != nil {
		t.Fatal(err)
	}
	check("anna", "there", "YES YES")
}

// If two sessions change two columns of a row, both changes stay.
func TestSetupActorsColumnsApart(t *testing.T) {
	reg := instr.NewRegistry()
	tb := tableNamed(t, "setup_actors")
	var writers sync.WaitGroup
	for _, column := range []string{"ENABLED", "HISTORY"} {
		writers.Go(func() {
			for i := range 1001 { // the last is NO
				if err := tb.Update(Of(reg), nil, column, yes(i%2 == 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if a := reg.Setup().Actors()[0]; a.Enabled || a.History {
		t.Errorf("%+v, want both switches off", a)
	}
}
