package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
)

// doWork lets a thread do work of all kinds: a transaction with a statement, which has stages and
// an inner statement, and errors.
func doWork(reg *instr.Registry, th *instr.Thread, i int) {
	th.StartTransaction(instr.TransactionOptions{ReadOnly: i%2 == 0, Isolation: "REPEATABLE READ"})
	s := th.StartStatement(reg.NewStatementClass("sql/select"))
	s.SetText("SELECT 1")
	s.SetSchema("test")
	s.Add(instr.RowsSent, 1)
	th.StartStage(reg.NewStageClass("sql/executing", false))
	th.StartStage(reg.NewStageClass("sql/copy to tmp table", true))
	th.EndStage()
	types := []instr.ObjectType{instr.ObjectProcedure, instr.ObjectTrigger, instr.ObjectFunction}
	p := reg.NewProgram(types[i%3], fmt.Sprint("test", i%2), fmt.Sprint("p", i%5))
	run := th.StartProgram(p)
	inner := th.StartStatement(reg.NewStatementClass("sp/stmt"))
	inner.SetProgram(p)
	th.RaiseError(1146, i%4 == 0)
	th.RaiseError(9999, false)
	inner.End()
	run.End()
	s.End()
	th.EndTransaction(i%3 != 0)
}

// knownErrors are the errors that the tests' programs know.
var knownErrors = []instr.ServerError{{Number: 1064, Name: "ER_PARSE_ERROR", SQLState: "42000"}, {Number: 1146, Name: "ER_NO_SUCH_TABLE", SQLState: "42S02"}}

// attached runs work as the thread of a connection, in a new registry in which everything is on.
func attached(t *testing.T, work func(reg *instr.Registry, th *instr.Thread)) {
	t.Helper()
	reg := watched()
	reg.Setup().SetServerErrors(knownErrors)
	done := make(chan struct{})
	go func() {
		defer close(done)
		th := reg.AttachConnection("sql/one_connection", 1)
		defer th.Detach()
		th.SetAccount("user", "host")
		work(reg, th)
	}()
	<-done
}

func TestStatementEvents(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		s := th.StartStatement(reg.NewStatementClass("abstract/Query"))
		s.SetText("SELECT 1")
		s.SetSchema("db")
		for c := range instr.MaxTotalMemory + 1 {
			s.Add(c, uint64(c)+100)
		}
		expect(t, one(t, reg, "events_statements_current"), row{
			"THREAD_ID": fmt.Sprint(th.ID()), "EVENT_ID": "1", "END_EVENT_ID": "NULL", "EVENT_NAME": "statement/abstract/Query",
			"NESTING_EVENT_ID": "NULL", "NESTING_EVENT_TYPE": "NULL", "NESTING_EVENT_LEVEL": "0", "MYSQL_ERRNO": "0", "RETURNED_SQLSTATE": "NULL", "MESSAGE_TEXT": "NULL",
		})
		s.Refine(reg.NewStatementClass("sql/call_procedure"))
		inner := th.StartStatement(reg.NewStatementClass("sp/stmt"))
		inner.SetObject("PROCEDURE", "db", "p")
		if n := len(rows(t, reg, "events_statements_current")); n != 2 {
			t.Errorf("%d statements run, want 2", n)
		}
		inner.End()
		s.SetDiagnostics(1146, "42S02", "Table 'db.x' doesn't exist")
		s.End()

		outer := row{
			"EVENT_ID": "1", "END_EVENT_ID": "2", "EVENT_NAME": "statement/sql/call_procedure", "SQL_TEXT": "SELECT 1", "CURRENT_SCHEMA": "db",
			"OBJECT_TYPE": "NULL", "OBJECT_SCHEMA": "NULL", "OBJECT_NAME": "NULL", "OBJECT_INSTANCE_BEGIN": "NULL",
			"MYSQL_ERRNO": "1146", "RETURNED_SQLSTATE": "42S02", "MESSAGE_TEXT": "Table 'db.x' doesn't exist", "EXECUTION_ENGINE": "PRIMARY",
		}
		for c := range instr.MaxTotalMemory + 1 {
			outer[strings.TrimPrefix(statementCounters[c].name, "SUM_")] = fmt.Sprint(100 + int(c))
		}
		outer["ERRORS"], outer["ROWS_AFFECTED"] = "1", "0" // as it ended with an error
		expect(t, one(t, reg, "events_statements_current"), outer)
		expect(t, one(t, reg, "events_statements_history", number("THREAD_ID", th.ID()), number("EVENT_ID", 1)), outer)
		expect(t, one(t, reg, "events_statements_history_long", number("EVENT_ID", 1)), outer)
		expect(t, one(t, reg, "events_statements_history", number("THREAD_ID", th.ID()), number("EVENT_ID", 2)), row{
			"END_EVENT_ID": "2", "EVENT_NAME": "statement/sp/stmt", "SQL_TEXT": "NULL", "DIGEST": "NULL", "DIGEST_TEXT": "NULL", "CURRENT_SCHEMA": "NULL",
			"OBJECT_TYPE": "PROCEDURE", "OBJECT_SCHEMA": "db", "OBJECT_NAME": "p", "NESTING_EVENT_ID": "1", "NESTING_EVENT_TYPE": "STATEMENT", "NESTING_EVENT_LEVEL": "1",
		})
		checkTruncate(t, reg, "statements")
	})
}

// checkTruncate empties the tables of a family's events.
func checkTruncate(t *testing.T, reg *instr.Registry, family string) {
	t.Helper()
	for _, suffix := range []string{"_current", "_history", "_history_long"} {
		table := "events_" + family + suffix
		tableNamed(t, table).Truncate(Of(reg))
		if n := len(rows(t, reg, table)); n != 0 {
			t.Errorf("%s: %d rows after TRUNCATE", table, n)
		}
	}
}

// A summary adds up what each statement has counted, and keeps the most memory of any.
func TestStatementCounters(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		for n := range uint64(2) {
			s := th.StartStatement(reg.NewStatementClass("sql/select"))
			for c := range instr.StatementCounterCount {
				if c != instr.CountSecondary || n == 1 {
					s.Add(c, (uint64(c)+1)*(n+1))
				}
			}
			s.End()
		}
		want := row{"COUNT_STAR": "2"}
		for c := range instr.StatementCounterCount {
			n := 3 * (int(c) + 1)
			if c >= instr.MaxControlledMemory {
				n = 2 * (int(c) + 1)
			}
			want[statementCounters[c].name] = fmt.Sprint(n)
		}
		for _, level := range []string{"by_thread", "by_account", "by_user", "by_host", "global"} {
			expect(t, one(t, reg, "events_statements_summary_"+level+"_by_event_name", slices.Concat(ofUser(level), []Eq{is("EVENT_NAME", "STATEMENT/sql/select")})...), want)
		}
		if e := one(t, reg, "events_statements_current"); e["EXECUTION_ENGINE"] != "SECONDARY" {
			t.Errorf("the secondary engine's statement was run by the engine %s", e["EXECUTION_ENGINE"])
		}
	})
}

// ofUser is the key of what attached's thread does in the summary of a level.
func ofUser(level string) (key []Eq) {
	if level == "by_account" || level == "by_user" {
		key = append(key, is("USER", "user"))
	}
	if level == "by_account" || level == "by_host" {
		key = append(key, is("HOST", "HOST"))
	}
	return key
}

func TestStageEvents(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		if n := len(rows(t, reg, "events_stages_current")); n != 0 {
			t.Errorf("%d stages before the first", n)
		}
		s := th.StartStatement(reg.NewStatementClass("sql/alter_table"))
		th.StartStage(reg.NewStageClass("sql/preparing", false))
		th.StartStage(reg.NewStageClass("sql/copy to tmp table", true))
		th.SetWorkEstimated(100)
		th.SetWorkCompleted(7)
		expect(t, one(t, reg, "events_stages_current"), row{
			"THREAD_ID": fmt.Sprint(th.ID()), "EVENT_ID": "3", "END_EVENT_ID": "NULL", "EVENT_NAME": "stage/sql/copy to tmp table",
			"WORK_COMPLETED": "7", "WORK_ESTIMATED": "100", "NESTING_EVENT_ID": "1", "NESTING_EVENT_TYPE": "STATEMENT",
		})
		th.EndStage()
		s.End()
		if n := len(rows(t, reg, "events_stages_current")); n != 0 {
			t.Errorf("%d stages after the last", n)
		}
		history := rows(t, reg, "events_stages_history")
		if len(history) != 2 {
			t.Fatalf("%d stages in the history, want 2", len(history))
		}
		expect(t, history[0], row{"EVENT_ID": "2", "END_EVENT_ID": "2", "EVENT_NAME": "stage/sql/preparing", "WORK_COMPLETED": "NULL", "WORK_ESTIMATED": "NULL"})
		expect(t, history[1], row{"EVENT_ID": "3", "END_EVENT_ID": "3"})
		if history[0]["TIMER_END"] != history[1]["TIMER_START"] {
			t.Errorf("a stage begins at %s, not when the one before ends, %s", history[1]["TIMER_START"], history[0]["TIMER_END"])
		}
		if n := len(rows(t, reg, "events_stages_history_long")); n != 2 {
			t.Errorf("%d stages in the long history, want 2", n)
		}
		checkTruncate(t, reg, "stages")
	})
}

func TestTransactionEvents(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		th.StartTransaction(instr.TransactionOptions{Isolation: "SERIALIZABLE"})
		th.Savepoint()
		th.Savepoint()
		th.Savepoint()
		th.RollbackToSavepoint()
		th.RollbackToSavepoint()
		th.ReleaseSavepoint()
		want := row{
			"EVENT_ID": "1", "END_EVENT_ID": "NULL", "EVENT_NAME": "transaction", "STATE": "ACTIVE", "TRX_ID": "NULL", "GTID": "AUTOMATIC", "XID_FORMAT_ID": "NULL", "XID_GTRID": "NULL", "XID_BQUAL": "NULL", "XA_STATE": "NULL",
			"ACCESS_MODE": "READ WRITE", "ISOLATION_LEVEL": "SERIALIZABLE", "AUTOCOMMIT": "NO",
			"NUMBER_OF_SAVEPOINTS": "3", "NUMBER_OF_ROLLBACK_TO_SAVEPOINT": "2", "NUMBER_OF_RELEASE_SAVEPOINT": "1",
		}
		expect(t, one(t, reg, "events_transactions_current"), want)
		th.EndTransaction(true)
		want["STATE"], want["END_EVENT_ID"] = "COMMITTED", "1"
		expect(t, one(t, reg, "events_transactions_current"), want)
		expect(t, one(t, reg, "events_transactions_history"), want)
		expect(t, one(t, reg, "events_transactions_history_long"), want)

		th.StartTransaction(instr.TransactionOptions{ReadOnly: true, Autocommit: true})
		th.EndTransaction(false)
		expect(t, one(t, reg, "events_transactions_current"), row{"STATE": "ROLLED BACK", "ACCESS_MODE": "READ ONLY", "AUTOCOMMIT": "YES", "ISOLATION_LEVEL": "NULL", "NUMBER_OF_SAVEPOINTS": "0"})
		expect(t, one(t, reg, "events_transactions_summary_global_by_event_name"), row{"EVENT_NAME": "transaction", "COUNT_STAR": "2", "COUNT_READ_WRITE": "1", "COUNT_READ_ONLY": "1"})
		checkTruncate(t, reg, "transactions")
	})
}

// An event without times shows none.
func TestUntimedWork(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		doWork(reg, th, 0)
		for _, c := range reg.Reader().Classes() {
			c.SetTimed(false)
		}
		doWork(reg, th, 0)
		none := row{"TIMER_START": "NULL", "TIMER_END": "NULL", "TIMER_WAIT": "NULL"}
		th.StartStage(reg.NewStageClass("sql/executing", false))
		for _, table := range []string{"events_stages_current", "events_statements_current", "events_transactions_current"} {
			expect(t, one(t, reg, table), none)
		}
		r := one(t, reg, "events_statements_summary_by_thread_by_event_name", number("THREAD_ID", th.ID()), is("EVENT_NAME", "statement/sql/select"))
		if expect(t, r, row{"COUNT_STAR": "2", "SUM_TIMER_WAIT": r["MAX_TIMER_WAIT"]}); r["MIN_TIMER_WAIT"] != r["MAX_TIMER_WAIT"] {
			t.Errorf("one statement has taken from %s to %s", r["MIN_TIMER_WAIT"], r["MAX_TIMER_WAIT"])
		}
	})
}

func TestErrors(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		doWork(reg, th, 0)
		doWork(reg, th, 1)
		for _, level := range []string{"by_thread", "by_account", "by_user", "by_host", "global"} {
			table := "events_errors_summary_" + level + "_by_error"
			all := rows(t, reg, table, ofUser(level)...)
			if len(all) != 3 {
				t.Fatalf("%s: %d rows, want 3", table, len(all))
			}
			other := slices.IndexFunc(all, func(r row) bool { return r["ERROR_NUMBER"] == "NULL" })
			expect(t, all[other], row{"ERROR_NAME": "NULL", "SQL_STATE": "NULL", "SUM_ERROR_RAISED": "2", "SUM_ERROR_HANDLED": "0"})
			expect(t, one(t, reg, table, append(ofUser(level), number("ERROR_NUMBER", 1064))...), row{
				"ERROR_NAME": "ER_PARSE_ERROR", "SQL_STATE": "42000", "SUM_ERROR_RAISED": "0", "SUM_ERROR_HANDLED": "0", "FIRST_SEEN": "NULL", "LAST_SEEN": "NULL",
			})
			raised := one(t, reg, table, append(ofUser(level), number("ERROR_NUMBER", 1146))...)
			expect(t, raised, row{"SUM_ERROR_RAISED": "1", "SUM_ERROR_HANDLED": "1"})
			if first, last := raised["FIRST_SEEN"], raised["LAST_SEEN"]; first == "NULL" || first > last || first[len(first)-7:] != ".000000" {
				t.Errorf("%s: first seen at %s, last at %s", table, first, last)
			}
		}
	})
}

// The stages of a taxon are those of the instruments in it.
func TestStageTaxa(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		doWork(reg, th, 0)
		th.StartStage(reg.NewStageClass("innodb/buffer pool load", true))
		th.EndStage()
		for _, scope := range []string{"by_thread", "global"} {
			table := "events_stages_summary_" + scope + "_by_"
			for name, n := range map[string]string{"stage/sql/executing": "1", "stage/sql/copy to tmp table": "1", "stage/innodb/buffer pool load": "1"} {
				expect(t, one(t, reg, table+"event_name", is("EVENT_NAME", name)), row{"COUNT_STAR": n})
			}
			expect(t, one(t, reg, table+"order", is("EVENT_NAME", "stage/sql")), row{"COUNT_STAR": "2"})
			expect(t, one(t, reg, table+"order", is("EVENT_NAME", "stage/innodb")), row{"COUNT_STAR": "1"})
			expect(t, one(t, reg, table+"class"), row{"EVENT_NAME": "stage", "COUNT_STAR": "3"})
		}
	})
}

// TRUNCATE of a level empties that level and those below; those above do not change.
func TestTruncateWork(t *testing.T) {
	for _, family := range []struct{ name, suffix, count string }{
		{"stages", "by_event_name", "COUNT_STAR"}, {"statements", "by_event_name", "COUNT_STAR"}, {"transactions", "by_event_name", "COUNT_STAR"}, {"errors", "by_error", "SUM_ERROR_RAISED"},
	} {
		levels := []string{"by_thread", "by_account", "by_user", "by_host", "global"}
		for truncated, empty := range map[string][]string{
			"by_thread":  {"by_thread"},
			"by_account": {"by_thread", "by_account"},
			"by_user":    {"by_thread", "by_account", "by_user"},
			"by_host":    {"by_thread", "by_account", "by_host"},
			"global":     levels,
		} {
			t.Run(family.name+"/"+truncated, func(t *testing.T) {
				attached(t, func(reg *instr.Registry, th *instr.Thread) {
					for i := range 3 {
						doWork(reg, th, i)
					}
					table := func(level string) string { return "events_" + family.name + "_summary_" + level + "_" + family.suffix }
					total := func(level string) (n int) {
						for _, r := range rows(t, reg, table(level)) {
							var m int
							must(fmt.Sscan(r[family.count], &m))
							n += m
						}
						return n
					}
					before := total("global")
					if before == 0 {
						t.Fatal("nothing has happened")
					}
					tableNamed(t, table(truncated)).Truncate(Of(reg))
					for _, level := range levels {
						want := before
						if slices.Contains(empty, level) {
							want = 0
						}
						if n := total(level); n != want {
							t.Errorf("%s: %d, want %d", table(level), n, want)
						}
					}
				})
			})
		}
	}
}

// setup_instruments has the instruments of all work; an error has no times.
func TestInstrumentsOfWork(t *testing.T) {
	attached(t, func(reg *instr.Registry, th *instr.Thread) {
		doWork(reg, th, 0)
		for name, want := range map[string]row{
			"statement/sql/select":        {"ENABLED": "YES", "TIMED": "YES", "PROPERTIES": ""},
			"stage/sql/executing":         {"ENABLED": "YES", "TIMED": "YES", "PROPERTIES": ""},
			"stage/sql/copy to tmp table": {"ENABLED": "YES", "TIMED": "YES", "PROPERTIES": "progress"},
			"transaction":                 {"ENABLED": "YES", "TIMED": "YES", "PROPERTIES": ""},
			"error":                       {"ENABLED": "YES", "TIMED": "NULL", "PROPERTIES": ""},
		} {
			expect(t, one(t, reg, "setup_instruments", is("NAME", name)), want)
			tb := tableNamed(t, "setup_instruments")
			for _, column := range []string{"TIMED", "ENABLED"} {
				if err := tb.Update(Of(reg), Key{is("NAME", name)}, column, Text("NO")); err != nil {
					t.Error(err)
				}
			}
			off := row{"ENABLED": "NO", "TIMED": "NO"}
			if name == "error" {
				off["TIMED"] = "NULL"
			}
			expect(t, one(t, reg, "setup_instruments", is("NAME", name)), off)
		}
		tableNamed(t, "events_errors_summary_global_by_error").Truncate(Of(reg))
		doWork(reg, th, 0)
		expect(t, one(t, reg, "events_errors_summary_global_by_error", number("ERROR_NUMBER", 1146)), row{"SUM_ERROR_RAISED": "0", "SUM_ERROR_HANDLED": "0"})
	})
}
