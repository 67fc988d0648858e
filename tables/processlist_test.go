package tables

import (
	"strings"
	"testing"

	"pfsd/instr"
)

func TestProcesslist(t *testing.T) {
	reg := instr.NewRegistry()
	defer reg.Attach("test/worker").Detach() // no process
	threadsIn(t, reg, 4, func(i int, th *instr.Thread) {
		if i%2 == 0 {
			return
		}
		th.SetDB("test")
		if i == 1 {
			th.SetAccount("", "") // not logged in
			th.SetPort(1234)
			return
		}
		th.SetAccount(strings.Repeat("ä", 40), strings.Repeat("h", 300))
		th.SetPort(65535)
		th.SetCommand("Query")
		th.SetState("starting")
		th.SetInfo("SELECT 1")
	})
	if n := len(rows(t, reg, "processlist")); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
	expect(t, one(t, reg, "processlist", number("ID", 1)), row{
		"USER": "unauthenticated user", "HOST": "NULL", "DB": "test", "COMMAND": "Sleep", "TIME": "0", "STATE": "NULL", "INFO": "NULL", "EXECUTION_ENGINE": "PRIMARY",
	})
	expect(t, one(t, reg, "processlist", number("ID", 3)), row{
		"ID": "3", "USER": strings.Repeat("ä", 32), "HOST": strings.Repeat("h", 255) + ":65535", "COMMAND": "Query", "STATE": "starting", "INFO": "SELECT 1",
	})
	session(reg, "anna", "localhost", func(*instr.Thread) {
		expect(t, one(t, reg, "processlist", is("USER", "anna")), row{"HOST": "localhost", "DB": "NULL"})
	})
}
