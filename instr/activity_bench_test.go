package instr

import "testing"

// BenchmarkStatement measures a statement with three stages, as a server runs it, under each
// setting.
func BenchmarkStatement(b *testing.B) {
	const sql = "SELECT c FROM sbtest1 WHERE id=501"
	current := []Consumer{ConsumerEventsStatementsCurrent, ConsumerEventsStagesCurrent, ConsumerEventsTransactionsCurrent}
	history := append(current, ConsumerEventsStatementsHistory, ConsumerEventsStagesHistory, ConsumerEventsTransactionsHistory)
	long := append(history, ConsumerEventsStatementsHistoryLong, ConsumerEventsStagesHistoryLong, ConsumerEventsTransactionsHistoryLong)
	for _, c := range []struct {
		name      string
		value     PatternValue
		consumers []Consumer
	}{
		{"off", PatternOff, nil},
		{"summaries", PatternOn, nil},
		{"current", PatternOn, current},
		{"history", PatternOn, history},
		{"all", PatternOn, long},
		{"all+digest", PatternOn, append(long, ConsumerStatementsDigest)},
	} {
		b.Run("on="+c.name, func(b *testing.B) {
			r := NewRegistry()
			r.AddPattern("st%", c.value)
			for i := range ConsumerCount {
				r.SetConsumer(i, i == ConsumerGlobalInstrumentation || i == ConsumerThreadInstrumentation)
			}
			for _, consumer := range c.consumers {
				r.SetConsumer(consumer, true)
			}
			packet, sel := r.NewStatementClass("abstract/Query"), r.NewStatementClass("sql/select")
			stages := [3]*StageClass{r.NewStageClass("sql/starting", false), r.NewStageClass("sql/executing", false), r.NewStageClass("sql/end", false)}
			th := r.Attach("test/worker")
			defer th.Detach()
			b.ReportAllocs()
			for b.Loop() {
				s := th.StartStatement(packet)
				s.Identify(sel, "test", sql, r.DigestOf(sql))
				for _, stage := range stages {
					th.StartStage(stage)
				}
				th.EndStage()
				var result StatementResult
				result.Counters[RowsSent], result.Counters[RowsExamined] = 1, 1
				s.Finish(&result)
			}
		})
	}
}
