package config

import (
	"time"

	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// workSize is a size for stages, statements and transactions: the variable performance_schema_NAME.
type workSize struct {
	name          string
	def, min, max int
	unsigned      bool
	doc           string
	set           func(instr.Setup, int)
	get           func(instr.Setup) int
}

// sampleAge is the name of the only size that can be set while the server runs.
const sampleAge = "max_digest_sample_age"

var workSizes = []workSize{
	historySize("stages", instr.FamilyStages), historyLongSize("stages", instr.FamilyStages),
	historySize("statements", instr.FamilyStatements), historyLongSize("statements", instr.FamilyStatements),
	historySize("transactions", instr.FamilyTransactions), historyLongSize("transactions", instr.FamilyTransactions),
	{
		"max_statement_stack", instr.DefaultStatementStackSize, 1, 256, true,
		"how many statements a thread can be in, one inside the other; more are not seen, but counted in Performance_schema_nested_statement_lost",
		instr.Setup.SetStatementStackSize, instr.Setup.StatementStackSize,
	},
	{
		"max_sql_text_length", instr.DefaultSQLTextLength, 0, 1 << 20, false,
		"bytes of SQL_TEXT, beyond which it is cut",
		instr.Setup.SetSQLTextLength, instr.Setup.SQLTextLength,
	},
	{
		"digests_size", -1, -1, 1 << 20, false,
		"rows of events_statements_summary_by_digest, one of them for all that has no row of its own; -1 is automatic",
		instr.Setup.SetDigestsSize, instr.Setup.DigestsSize,
	},
	{
		"error_size", -1, 0, 1 << 20, false,
		"rows of events_errors_summary_global_by_error, one of them for all errors that have no row of their own; 0 is none at all, and by default each error has one",
		instr.Setup.SetErrorSize, errorSize,
	},
	{
		"max_digest_length", 1024, 0, 1 << 20, false,
		"bytes of the tokens of a digest that are kept, for DIGEST_TEXT; 0 is neither DIGEST nor DIGEST_TEXT",
		instr.Setup.SetKeptDigestLength, instr.Setup.KeptDigestLength,
	},
	{
		"session_connect_attrs_size", -1, -1, 1 << 20, false,
		"bytes that a connection has for what its client says of itself in session_connect_attrs; what has no room is counted in Performance_schema_session_connect_attrs_lost; -1 is automatic",
		instr.Setup.SetConnectAttrsSize, instr.Setup.ConnectAttrsSize,
	},
	{
		sampleAge, 60, 0, 1 << 20, true,
		"seconds after which another statement takes the place of QUERY_SAMPLE_TEXT, even if it was faster; 0 is never",
		func(r instr.Setup, n int) { r.SetMaxDigestSampleAge(time.Duration(n) * time.Second) },
		func(r instr.Setup) int { return int(r.MaxDigestSampleAge() / time.Second) },
	},
}

func historySize(family string, f instr.Family) workSize {
	return workSize{
		"events_" + family + "_history_size", -1, -1, 1024, false,
		"rows of events_" + family + "_history per thread; -1 is automatic",
		func(r instr.Setup, n int) { r.SetHistorySize(f, n) },
		func(r instr.Setup) int { return r.HistorySize(f) },
	}
}

func historyLongSize(family string, f instr.Family) workSize {
	return workSize{
		"events_" + family + "_history_long_size", -1, -1, 1 << 20, false,
		"rows of events_" + family + "_history_long; -1 is automatic",
		func(r instr.Setup, n int) { r.SetHistoryLongSize(f, n) },
		func(r instr.Setup) int { return r.HistoryLongSize(f) },
	}
}

// errorSize returns the largest number of rows for errors.
func errorSize(r instr.Setup) int {
	if n := r.ErrorSize(); n >= 0 {
		return n
	}
	return len(mysqlerr.All()) + 1
}

// workSizeOf returns the size with this name, which must exist.
func workSizeOf(name string) *workSize {
	for i := range workSizes {
		if workSizes[i].name == name {
			return &workSizes[i]
		}
	}
	panic("config: no size " + name)
}

// workSizeOptions returns an option for each of the sizes.
func workSizeOptions() []option {
	var opts []option
	for _, w := range workSizes {
		opts = append(opts, sizeOption(w.name, w.def, w.min, w.max, w.doc, func(s *settings, n int) {
			if s.Sizes == nil {
				s.Sizes = map[string]int{}
			}
			s.Sizes[w.name] = n
		}))
	}
	return opts
}
