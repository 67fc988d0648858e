package instr_test

import (
	"fmt"

	"pfsd/instr"
)

// A program that runs statements for its clients says what each is, which stages it goes through
// and how it ends. The tables of events_statements and events_stages show it.
func ExampleThread_StartStatement() {
	r := instr.NewRegistry()
	r.Setup().SetConsumer(instr.ConsumerEventsStagesCurrent, true)
	r.Setup().SetConsumer(instr.ConsumerEventsStagesHistory, true)
	r.Setup().AddPattern("stage/%", instr.PatternOn)
	query, get := r.NewStatementClass("abstract/Query"), r.NewStatementClass("cache/get")
	looking, sending := r.NewStageClass("cache/looking up", false), r.NewStageClass("cache/sending", false)

	t := r.Attach("cache/worker")
	defer t.Detach()
	const text = "GET 'user:17'"
	s := t.StartStatement(query)
	s.Identify(get, "users", text, r.DigestOf(text))
	t.StartStage(looking)
	t.StartStage(sending)
	t.EndStage()
	result := instr.StatementResult{SQLState: "00000"}
	result.Counters[instr.RowsSent] = 1
	s.Finish(&result)

	for _, s := range t.StatementsHistory(nil) {
		fmt.Println(s.Class.Name(), s.Digest.Text(), s.Counters[instr.RowsSent])
		for _, g := range t.StagesHistory(nil) {
			if g.NestingID == s.ID {
				fmt.Println(g.Class.Name())
			}
		}
	}
	// Output:
	// statement/cache/get GET ? 1
	// stage/cache/looking up
	// stage/cache/sending
}
