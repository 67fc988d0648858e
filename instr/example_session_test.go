package instr_test

import (
	"fmt"

	"pfsd/instr"
)

// A server reports the statements that it prepares for its clients; executions count for them.
func ExampleThread_Prepare() {
	r := instr.NewRegistry()
	prepare, execute := r.NewStatementClass("com/Prepare"), r.NewStatementClass("com/Execute")
	t := r.AttachConnection("api/connection", 17)
	defer t.Detach()
	t.SetConnectAttrs([]instr.ConnectAttr{{Name: "program_name", Value: "billing"}})
	t.SetUserVariable("tenant", "acme")

	s := t.StartStatement(prepare)
	p := t.Prepare(instr.PreparedOptions{StatementID: 1, SQLText: "GET /invoices/?"})
	s.End()
	for range 3 {
		s := t.StartStatement(execute)
		t.Execute(p)
		s.Add(instr.RowsSent, 2)
		s.End()
	}

	for _, p := range r.Reader().PreparedStatements() {
		stat := p.Stat()
		fmt.Printf("%s: executed %d times, %d rows\n", p.SQLText, stat.Executed.Count, stat.Executed.Counters[instr.RowsSent])
	}
	p.Drop()
	fmt.Println(len(r.Reader().PreparedStatements()), t.UserVariables(nil), t.ConnectAttrs(nil))
	// Output:
	// GET /invoices/?: executed 3 times, 6 rows
	// 0 [{tenant acme}] [{program_name billing}]
}
