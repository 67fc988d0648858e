package tables

import (
	"fmt"
	"testing"

	"pfsd/instr"
)

// A program's row has the times of its runs, and the times and counters of its statements.
func TestPrograms(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		p := reg.NewProgram(instr.ObjectProcedure, "db", "p")
		zero, want := row{"OBJECT_TYPE": "PROCEDURE", "OBJECT_SCHEMA": "db", "OBJECT_NAME": "p"}, row{"COUNT_STAR": "1", "COUNT_STATEMENTS": "2"}
		for _, name := range []string{"COUNT_STAR", "SUM_TIMER_WAIT", "MIN_TIMER_WAIT", "MAX_TIMER_WAIT", "COUNT_STATEMENTS", "SUM_STATEMENTS_WAIT", "MIN_STATEMENTS_WAIT", "AVG_STATEMENTS_WAIT", "MAX_STATEMENTS_WAIT"} {
			zero[name] = "0"
		}
		for c := range instr.StatementCounterCount {
			zero[statementCounters[c].name] = "0"
		}
		expect(t, one(t, reg, "events_statements_summary_by_program"), zero)

		run := th.StartProgram(p)
		var waits []uint64
		for n := range 2 {
			s := th.StartStatement(reg.NewStatementClass("sp/stmt"))
			s.SetProgram(p)
			for c := range instr.StatementCounterCount {
				s.Add(c, uint64(n)+uint64(c))
			}
			s.End()
			e := th.CurrentStatements(nil)[0]
			if e.ObjectType != "PROCEDURE" || e.ObjectSchema != "db" || e.ObjectName != "p" {
				t.Errorf("the statement is part of %s %s.%s", e.ObjectType, e.ObjectSchema, e.ObjectName)
			}
			waits = append(waits, e.TimerWait())
		}
		run.End()
		for c := range instr.StatementCounterCount {
			n := 2*int(c) + 1
			if c == instr.MaxControlledMemory || c == instr.MaxTotalMemory {
				n = int(c) + 1
			}
			want[statementCounters[c].name] = fmt.Sprint(n)
		}
		want["SUM_STATEMENTS_WAIT"] = fmt.Sprint(waits[0] + waits[1])
		want["MIN_STATEMENTS_WAIT"], want["MAX_STATEMENTS_WAIT"] = fmt.Sprint(min(waits[0], waits[1])), fmt.Sprint(max(waits[0], waits[1]))
		want["AVG_STATEMENTS_WAIT"] = fmt.Sprint((waits[0] + waits[1]) / 2)
		got := one(t, reg, "events_statements_summary_by_program", is("OBJECT_TYPE", "procedure"), is("OBJECT_SCHEMA", "db"), is("OBJECT_NAME", "P"))
		expect(t, got, want)
		stat := reg.Reader().Programs()[0].Calls
		if stat.Sum < waits[0]+waits[1] {
			t.Errorf("the run took %d ps, its statements %d", stat.Sum, waits[0]+waits[1])
		}
		for _, name := range []string{"SUM_TIMER_WAIT", "MIN_TIMER_WAIT", "AVG_TIMER_WAIT", "MAX_TIMER_WAIT"} {
			if got[name] != fmt.Sprint(stat.Sum) {
				t.Errorf("%s is %s, want %d", name, got[name], stat.Sum)
			}
		}

		tableNamed(t, "events_statements_summary_by_program").Truncate(Of(reg))
		expect(t, one(t, reg, "events_statements_summary_by_program"), zero)
		reg.DropProgram(instr.ObjectProcedure, "db", "P")
		if n := len(rows(t, reg, "events_statements_summary_by_program")); n != 0 {
			t.Errorf("%d rows of dropped programs", n)
		}
	})
}
