package tables

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
)

func TestSetupThreads(t *testing.T) {
	reg := instr.NewRegistry()
	reg.Attach("test/worker").Detach()
	session(reg, "anna", "here", func(*instr.Thread) {})
	names := strings.Fields(columnOf(t, reg, "setup_threads", "NAME"))
	for _, name := range []string{"thread/test/worker", "thread/sql/one_connection"} {
		if !slices.Contains(names, name) {
			t.Errorf("no class %s in %v", name, names)
		}
		expect(t, one(t, reg, "setup_threads", is("NAME", name)), row{"ENABLED": "YES", "HISTORY": "YES", "VOLATILITY": "0", "DOCUMENTATION": "NULL"})
	}
	tb := tableNamed(t, "setup_threads")
	for _, c := range []struct{ column, instrumented, history string }{{"ENABLED", "NO", "YES"}, {"HISTORY", "NO", "NO"}} {
		if err := tb.Update(Of(reg), Key{is("NAME", "Thread/test/worker")}, c.column, Text("no")); err != nil {
			t.Error(err)
		}
		expect(t, one(t, reg, "setup_threads", is("NAME", "thread/test/worker")), row{"ENABLED": c.instrumented, "HISTORY": c.history})
		th := reg.Attach("test/worker")
		expect(t, one(t, reg, "threads"), row{"INSTRUMENTED": c.instrumented, "HISTORY": c.history})
		th.Detach()
	}
	expect(t, one(t, reg, "setup_threads", is("NAME", "thread/sql/one_connection")), row{"ENABLED": "YES", "HISTORY": "YES"})
	for _, c := range []string{"NAME", "PROPERTIES", "VOLATILITY", "DOCUMENTATION"} {
		if err := tb.Update(Of(reg), nil, c, Text("")); !errors.Is(err, ErrColumnNotUpdatable) {
			t.Errorf("UPDATE %s: %v", c, err)
		}
	}
}

func TestPropertiesOfThreads(t *testing.T) {
	reg := instr.NewRegistry()
	reg.NewThreadClass("test/main").SetProperties(instr.Singleton)
	reg.NewThreadClass("test/client").SetProperties(instr.User)
	expect(t, one(t, reg, "setup_threads", is("NAME", "thread/test/main")), row{"PROPERTIES": "singleton"})
	expect(t, one(t, reg, "setup_threads", is("NAME", "thread/test/client")), row{"PROPERTIES": "user"})
}
