package tables

import (
	"errors"
	"strings"
	"testing"

	"pfsd/instr"
)

func TestSetupObjects(t *testing.T) {
	reg := instr.NewRegistry()
	all := rows(t, reg, "setup_objects")
	if len(all) != 20 {
		t.Fatalf("%d rows at the start", len(all))
	}
	for i, r := range all {
		v := yesOrNo(i%4 == 3)
		expect(t, r, row{
			"OBJECT_TYPE":   []string{"EVENT", "FUNCTION", "PROCEDURE", "TABLE", "TRIGGER"}[i/4],
			"OBJECT_SCHEMA": []string{"mysql", "performance_schema", "information_schema", "%"}[i%4],
			"OBJECT_NAME":   "%", "ENABLED": v, "TIMED": v,
		})
	}
	tb := tableNamed(t, "setup_objects")
	given := row{"OBJECT_TYPE": "trigger", "OBJECT_SCHEMA": "Test", "OBJECT_NAME": "a", "TIMED": "NO"}
	if err := insert(t, reg, "setup_objects", given); err != nil {
		t.Error(err)
	}
	expect(t, one(t, reg, "setup_objects", is("OBJECT_SCHEMA", "Test")), row{"OBJECT_TYPE": "TRIGGER", "OBJECT_NAME": "a", "ENABLED": "YES", "TIMED": "NO"})

	for _, c := range []struct {
		given  row
		want   error
		column string
	}{
		{row{}, ErrDuplicate, ""}, // TABLE, %, %
		{given, ErrDuplicate, ""},
		{row{"OBJECT_TYPE": "ILLEGAL"}, ErrBadValue, "OBJECT_TYPE"},
		{row{"OBJECT_TYPE": ""}, ErrBadValue, "OBJECT_TYPE"},
		{row{"OBJECT_NAME": "x", "ENABLED": "0"}, ErrBadValue, "ENABLED"},
		{row{"OBJECT_NAME": "x", "TIMED": ""}, ErrBadValue, "TIMED"},
		{row{"OBJECT_SCHEMA": strings.Repeat("ä", 65)}, ErrTooLong, "OBJECT_SCHEMA"},
		{row{"OBJECT_NAME": strings.Repeat("x", 65)}, ErrTooLong, "OBJECT_NAME"},
	} {
		err := insert(t, reg, "setup_objects", c.given)
		var of *ColumnError
		if !errors.Is(err, c.want) || errors.As(err, &of) != (c.column != "") || of != nil && of.Column != c.column {
			t.Errorf("INSERT %v: %v, want %v %s", c.given, err, c.want, c.column)
		}
	}
	// NULL is the schema without a name.
	if err := tb.Insert(Of(reg), []Value{Text("EVENT"), Null, Text("e"), Text("NO"), Text("YES")}); err != nil {
		t.Error(err)
	}
	if err := insert(t, reg, "setup_objects", row{"OBJECT_TYPE": "EVENT", "OBJECT_SCHEMA": "", "OBJECT_NAME": "e"}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("INSERT of a schema without a name: %v", err)
	}
	expect(t, one(t, reg, "setup_objects", is("OBJECT_NAME", "e")), row{"OBJECT_SCHEMA": "NULL", "ENABLED": "NO", "TIMED": "YES"})
	if err := tb.Insert(Of(reg), []Value{Text("EVENT"), Text("x"), Null, Text("NO"), Text("YES")}); !errors.Is(err, ErrNull) {
		t.Errorf("INSERT of the name NULL: %v", err)
	}
	reg.Setup().SetLimit(instr.LimitSetupObjects, 22)
	if err := insert(t, reg, "setup_objects", row{"OBJECT_NAME": "x"}); !errors.Is(err, ErrFull) {
		t.Errorf("INSERT beyond the limit: %v", err)
	}

	for _, u := range []struct {
		column, v string
		key       Key
		want      int // rows with v
	}{
		{"TIMED", "yes", Key{is("OBJECT_TYPE", "TRIGGER"), is("OBJECT_SCHEMA", "test"), is("OBJECT_NAME", "A")}, 7},
		{"ENABLED", "NO", Key{is("OBJECT_TYPE", "table")}, 17},
		{"ENABLED", "YES", nil, 22},
	} {
		if err := tb.Update(Of(reg), u.key, u.column, Text(u.v)); err != nil {
			t.Error(err)
		}
		if n := len(rows(t, reg, "setup_objects", is(u.column, u.v))); n != u.want {
			t.Errorf("%d rows with %s = %s, want %d", n, u.column, u.v, u.want)
		}
	}
	for _, c := range []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"} {
		if err := tb.Update(Of(reg), nil, c, Text("EVENT")); !errors.Is(err, ErrColumnNotUpdatable) {
			t.Errorf("UPDATE %s: %v", c, err)
		}
	}
	if err := tb.Delete(Of(reg), Key{is("OBJECT_SCHEMA", "%")}); err != nil || len(rows(t, reg, "setup_objects")) != 17 {
		t.Errorf("%d rows after the DELETE, %v", len(rows(t, reg, "setup_objects")), err)
	}
	if enabled, timed := reg.Setup().ObjectSwitches(instr.ObjectTable, "other", "t"); enabled || timed {
		t.Error("a table without a row is watched")
	}
	// One of two rows that the WHERE clause treats as equal.
	for _, name := range []string{"t", "T"} {
		if err := insert(t, reg, "setup_objects", row{"OBJECT_SCHEMA": "s", "OBJECT_NAME": name}); err != nil {
			t.Error(err)
		}
	}
	if n := len(rows(t, reg, "setup_objects", is("OBJECT_NAME", "t"))); n != 2 {
		t.Errorf("%d rows of the names t and T", n)
	}
	for _, key := range []Key{
		{is("OBJECT_TYPE", "TABLE"), {Column: "OBJECT_NAME", Value: Text("T"), Same: true}},
		{{Column: "OBJECT_SCHEMA", Value: Null, Same: true}},
	} {
		if err := tb.Delete(Of(reg), key); err != nil {
			t.Error(err)
		}
		if n := len(rows(t, reg, "setup_objects", key...)); n != 0 {
			t.Errorf("%d rows after a DELETE where %v", n, key)
		}
	}
	expect(t, one(t, reg, "setup_objects", is("OBJECT_SCHEMA", "s")), row{"OBJECT_NAME": "t"})
	tb.Truncate(Of(reg))
	if n := len(rows(t, reg, "setup_objects")); n != 0 {
		t.Errorf("%d rows after TRUNCATE", n)
	}
}
