package instr_test

import (
	"fmt"

	"pfsd/instr"
)

// A program that runs scripts of its users shows how often each script ran, and what its statements
// did: a row of events_statements_summary_by_program.
func ExampleThread_StartProgram() {
	reg := instr.NewRegistry()
	statement := reg.NewStatementClass("sp/stmt")
	defer reg.Attach("script/runner").Detach()
	thread := instr.Current()

	script := reg.NewProgram(instr.ObjectProcedure, "shop", "nightly")
	for range 2 {
		run := thread.StartProgram(script)
		for _, text := range []string{"DELETE FROM carts", "ANALYZE TABLE orders"} {
			s := thread.StartStatement(statement)
			s.SetText(text)
			s.SetProgram(script)
			s.Add(instr.RowsAffected, 10)
			s.End()
		}
		run.End()
	}
	for _, p := range reg.Reader().Programs() {
		fmt.Println(p.Schema, p.Name, p.Calls.Count, p.Statements.Count, p.Statements.Counters[instr.RowsAffected])
	}
	// Output: shop nightly 2 4 40
}
