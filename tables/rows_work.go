package tables

import (
	"slices"

	"pfsd/instr"
)

// This file has the row sources that the tables of stages, statements, transactions and
// errors share.

// pointers yields pointers to items.
func pointers[E any](items []E) Source[*E] {
	return func(buf []*E) int {
		n := min(len(buf), len(items))
		for i := range n {
			buf[i] = &items[i]
		}
		items = items[n:]
		return n
	}
}

// threadEvents starts a scan of the events that read appends for each thread.
func threadEvents[E any](head func(*E) *instr.EventHead, read func(*instr.Thread, []E) []E) func(*instr.Registry, Key) Source[*E] {
	return func(reg *instr.Registry, key Key) Source[*E] {
		id, one := key.Uint("EVENT_ID")
		var events []E
		var refs []*E
		return each(threadsOf(reg, key), func(t *instr.Thread) []*E {
			events, refs = read(t, events[:0]), refs[:0]
			for i := range events {
				if e := &events[i]; !one || head(e).ID == id {
					refs = append(refs, e)
				}
			}
			return refs
		})
	}
}

// longEvents starts a scan of the events that read returns.
func longEvents[E any](read func(*instr.Registry) []E) func(*instr.Registry, Key) Source[*E] {
	return func(reg *instr.Registry, _ Key) Source[*E] { return pointers(read(reg)) }
}

// eachThread is the TRUNCATE that does something to each thread.
func eachThread(do func(*instr.Thread)) func(*instr.Registry) {
	return func(reg *instr.Registry) {
		for _, t := range reg.Threads() {
			do(t)
		}
	}
}

// workRow is the statistics of one thing, an instrument mostly, for a thread, an account, a
// user, a host or everybody.
type workRow[I, S any] struct {
	who  *instr.Work
	what I
	stat S
}

func (r *workRow[I, S]) user() string { return r.who.User }
func (r *workRow[I, S]) host() string { return r.who.Host }

type (
	stageRow       = workRow[taxon, instr.WorkStat]
	statementRow   = workRow[taxon, instr.StatementStat]
	transactionRow = workRow[taxon, transactionStat]
	errorRow       = workRow[serverError, instr.ErrorStat]
	memoryRow      = workRow[taxon, instr.MemoryStat]
)

type transactionStat struct {
	instr.TransactionStat
	all instr.WorkStat
}

// serverError is an error, and its place in the list of all.
type serverError struct {
	*instr.ServerError
	index int
}

// number is ERROR_NUMBER.
func (e serverError) number() Value {
	if e.index == 0 {
		return Null
	}
	return Int(int64(e.Number))
}

// workers returns the work of one kind of those whom a table is about, as far as key names
// them.
type workers func(*instr.Registry, Key, instr.WorkKind) []instr.Work

// threadWork is the work of each thread.
func threadWork(reg *instr.Registry, key Key, kind instr.WorkKind) []instr.Work {
	id, one := key.Uint("THREAD_ID")
	if !one {
		return reg.ThreadWork(kind)
	}
	if t := reg.ThreadByID(id); t != nil {
		if w := t.Work(kind); w.ThreadID == id {
			return []instr.Work{w}
		}
	}
	return nil
}

// actorWork is the work of each account, user or host.
func actorWork(level instr.ActorLevel) workers {
	return func(reg *instr.Registry, key Key, kind instr.WorkKind) []instr.Work {
		return slices.DeleteFunc(reg.ActorWork(level, actorFilter(reg, key, "USER", "HOST"), kind), func(w instr.Work) bool {
			return !allowsActor(key, w.User, w.Host)
		})
	}
}

// globalWork is the work of everybody.
func globalWork(reg *instr.Registry, _ Key, kind instr.WorkKind) []instr.Work {
	return []instr.Work{reg.GlobalWork(kind)}
}

// workRows starts a scan of the work of each of who: a row for each thing.
func workRows[I, S any](who workers, kind instr.WorkKind, things func(*instr.Registry, Key) []I, stat func(*instr.Work, I) S) func(*instr.Registry, Key) Source[*workRow[I, S]] {
	return func(reg *instr.Registry, key Key) Source[*workRow[I, S]] {
		all := things(reg, key)
		if len(all) == 0 {
			return list[*workRow[I, S]](nil)
		}
		rows, refs := make([]workRow[I, S], len(all)), make([]*workRow[I, S], len(all))
		work := who(reg, key, kind)
		of := make([]*instr.Work, len(work))
		for i := range work {
			of[i] = &work[i]
		}
		return each(of, func(w *instr.Work) []*workRow[I, S] {
			for i, what := range all {
				rows[i] = workRow[I, S]{w, what, stat(w, what)}
				refs[i] = &rows[i]
			}
			return refs
		})
	}
}

// stageRows starts a scan of the stages of each of who, by the first parts of their names.
func stageRows(who workers, parts int) func(*instr.Registry, Key) Source[*stageRow] {
	stages := func(reg *instr.Registry, key Key) []taxon { return taxa(reg, key, parts, instr.KindStage) }
	return workRows(who, instr.WorkStages, stages, func(w *instr.Work, t taxon) instr.WorkStat {
		sum := instr.NoWorkStat
		for _, c := range t.classes {
			sum.Add(w.Stage(c))
		}
		return sum
	})
}

// statementRows starts a scan of the statements of each of who, by instrument.
func statementRows(who workers) func(*instr.Registry, Key) Source[*statementRow] {
	statements := func(reg *instr.Registry, key Key) []taxon { return taxa(reg, key, byName, instr.KindStatement) }
	return workRows(who, instr.WorkStatements, statements, func(w *instr.Work, t taxon) instr.StatementStat { return w.Statement(t.classes[0]) })
}

// transactionRows starts a scan of the transactions of each of who.
func transactionRows(who workers) func(*instr.Registry, Key) Source[*transactionRow] {
	transactions := func(reg *instr.Registry, key Key) []taxon { return taxa(reg, key, byName, instr.KindTransaction) }
	return workRows(who, instr.WorkTransactions, transactions, func(w *instr.Work, _ taxon) transactionStat {
		s := w.Transaction()
		return transactionStat{s, s.All()}
	})
}

// errorRows starts a scan of the errors of each of who: a row for every error that the
// program knows, and one for all others.
func errorRows(who workers) func(*instr.Registry, Key) Source[*errorRow] {
	return workRows(who, instr.WorkErrors, serverErrors, func(w *instr.Work, e serverError) instr.ErrorStat { return w.Error(e.index) })
}

// memoryRows starts a scan of the memory of each of who, by instrument: a row for each that
// counts for threads.
func memoryRows(who workers) func(*instr.Registry, Key) Source[*memoryRow] {
	memory := func(reg *instr.Registry, key Key) []taxon {
		return slices.DeleteFunc(taxa(reg, key, byName, instr.KindMemory), func(t taxon) bool {
			return t.classes[0].Properties()&instr.GlobalStatistics != 0
		})
	}
	return workRows(who, instr.WorkMemory, memory, func(w *instr.Work, t taxon) instr.MemoryStat { return w.Memory(t.classes[0]) })
}

// globalMemoryRows starts a scan of the memory of everybody, by instrument.
func globalMemoryRows(reg *instr.Registry, key Key) Source[*memoryRow] {
	memory := func(reg *instr.Registry, key Key) []taxon {
		all := taxa(reg, key, byName, instr.KindMemory)
		if slices.ContainsFunc(all, func(t taxon) bool { return t.classes[0].Measured() }) {
			reg.MeasureMemory()
		}
		return all
	}
	return workRows(globalWork, instr.WorkMemory, memory, func(w *instr.Work, t taxon) instr.MemoryStat {
		s := w.Memory(t.classes[0])
		s.Add(t.classes[0].SharedMemory())
		return s
	})(reg, key)
}

// serverErrors returns the error that key names, or all.
func serverErrors(reg *instr.Registry, key Key) []serverError {
	var some []serverError
	all := reg.ServerErrors()
	for i := range all {
		if e := (serverError{&all[i], i}); key.allows("ERROR_NUMBER", e.number()) {
			some = append(some, e)
		}
	}
	return some
}

// workEstimate is about how many rows there are for each of who, of whom there are about so
// many.
func workEstimate(family instr.Family, who func(*instr.Registry) int) func(*instr.Registry) int {
	return func(reg *instr.Registry) int { return who(reg) * len(reg.FamilyClasses(family)) }
}

// errorEstimate is workEstimate of errors.
func errorEstimate(who func(*instr.Registry) int) func(*instr.Registry) int {
	return func(reg *instr.Registry) int { return who(reg) * len(reg.ServerErrors()) }
}

// threadCount, actorCount and single are about how many threads, actors or sums there are.
func threadCount(reg *instr.Registry) int { return reg.ThreadCount() }
func actorCount(*instr.Registry) int      { return actorEstimate }
func single(*instr.Registry) int          { return 1 }

// resetThreadWork is the TRUNCATE of the summaries by thread: what the threads have goes up.
func resetThreadWork(k instr.WorkKind) func(*instr.Registry) {
	return func(reg *instr.Registry) { reg.ResetThreadWork(k) }
}

// resetActorWork is the TRUNCATE of the summaries by account, user or host.
func resetActorWork(k instr.WorkKind, level instr.ActorLevel) func(*instr.Registry) {
	return func(reg *instr.Registry) { reg.ResetActorWork(k, level) }
}

// resetGlobalWork is the TRUNCATE of the global summaries: nobody keeps anything.
func resetGlobalWork(k instr.WorkKind) func(*instr.Registry) {
	return func(reg *instr.Registry) { reg.ResetGlobalWork(k) }
}
