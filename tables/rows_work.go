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
func threadEvents[E any](head func(*E) *instr.EventHead, read func(Thread, []E) []E) func(Model, Key) Source[*E] {
	return func(model Model, key Key) Source[*E] {
		id, one := key.Uint("EVENT_ID")
		var events []E
		var refs []*E
		return each(threadsOf(model, key), func(t Thread) []*E {
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
func longEvents[E any](read func(Model) []E) func(Model, Key) Source[*E] {
	return func(model Model, _ Key) Source[*E] { return pointers(read(model)) }
}

// eachThread is the TRUNCATE that calls do for each thread.
func eachThread(do func(Thread)) func(Model) {
	return func(model Model) {
		for _, t := range model.Threads() {
			do(t)
		}
	}
}

// workRow is the statistics of one item, usually an instrument, for a thread, an account, a user, a
// host, or all together.
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

// workers returns the work of one kind, for each thread or actor that a table is about and that key
// allows.
type workers func(Model, Key, instr.WorkKind) []instr.Work

// threadWork is the work of each thread.
func threadWork(model Model, key Key, kind instr.WorkKind) []instr.Work {
	id, one := key.Uint("THREAD_ID")
	if !one {
		return model.ThreadWork(kind)
	}
	if t := model.ThreadByID(id); t != nil {
		if w := t.Work(kind); w.ThreadID == id {
			return []instr.Work{w}
		}
	}
	return nil
}

// actorWork is the work of each account, user or host.
func actorWork(level instr.ActorLevel) workers {
	return func(model Model, key Key, kind instr.WorkKind) []instr.Work {
		return slices.DeleteFunc(model.ActorWork(level, actorFilter(model, key, "USER", "HOST"), kind), func(w instr.Work) bool {
			return !allowsActor(key, w.User, w.Host)
		})
	}
}

// globalWork is the global work.
func globalWork(model Model, _ Key, kind instr.WorkKind) []instr.Work {
	return []instr.Work{model.GlobalWork(kind)}
}

// workRows starts a scan of the work of each of who: a row for each item that things returns.
func workRows[I, S any](who workers, kind instr.WorkKind, things func(Model, Key) []I, stat func(*instr.Work, I) S) func(Model, Key) Source[*workRow[I, S]] {
	return func(model Model, key Key) Source[*workRow[I, S]] {
		all := things(model, key)
		if len(all) == 0 {
			return list[*workRow[I, S]](nil)
		}
		rows, refs := make([]workRow[I, S], len(all)), make([]*workRow[I, S], len(all))
		work := who(model, key, kind)
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

// stageRows starts a scan of the stages of each of who, grouped by the first parts of their names.
func stageRows(who workers, parts int) func(Model, Key) Source[*stageRow] {
	stages := func(model Model, key Key) []taxon { return taxa(model, key, parts, instr.KindStage) }
	return workRows(who, instr.WorkStages, stages, func(w *instr.Work, t taxon) instr.WorkStat {
		sum := instr.NoWorkStat
		for _, c := range t.classes {
			sum.Add(w.Stage(c))
		}
		return sum
	})
}

// statementRows starts a scan of the statements of each of who, by instrument.
func statementRows(who workers) func(Model, Key) Source[*statementRow] {
	statements := func(model Model, key Key) []taxon { return taxa(model, key, byName, instr.KindStatement) }
	return workRows(who, instr.WorkStatements, statements, func(w *instr.Work, t taxon) instr.StatementStat { return w.Statement(t.classes[0]) })
}

// transactionRows starts a scan of the transactions of each of who.
func transactionRows(who workers) func(Model, Key) Source[*transactionRow] {
	transactions := func(model Model, key Key) []taxon { return taxa(model, key, byName, instr.KindTransaction) }
	return workRows(who, instr.WorkTransactions, transactions, func(w *instr.Work, _ taxon) transactionStat {
		s := w.Transaction()
		return transactionStat{s, s.All()}
	})
}

// errorRows starts a scan of the errors of each of who: a row for every error that the
// program knows, and one for all others.
func errorRows(who workers) func(Model, Key) Source[*errorRow] {
	return workRows(who, instr.WorkErrors, serverErrors, func(w *instr.Work, e serverError) instr.ErrorStat { return w.Error(e.index) })
}

// memoryRows starts a scan of the memory of each of who, by instrument: a row for each that
// counts for threads.
func memoryRows(who workers) func(Model, Key) Source[*memoryRow] {
	memory := func(model Model, key Key) []taxon {
		return slices.DeleteFunc(taxa(model, key, byName, instr.KindMemory), func(t taxon) bool {
			return t.classes[0].Properties()&instr.GlobalStatistics != 0
		})
	}
	return workRows(who, instr.WorkMemory, memory, func(w *instr.Work, t taxon) instr.MemoryStat { return w.Memory(t.classes[0]) })
}

// globalMemoryRows starts a scan of the global memory, by instrument.
func globalMemoryRows(model Model, key Key) Source[*memoryRow] {
	memory := func(model Model, key Key) []taxon {
		all := taxa(model, key, byName, instr.KindMemory)
		if slices.ContainsFunc(all, func(t taxon) bool { return t.classes[0].Measured() }) {
			model.MeasureMemory()
		}
		return all
	}
	return workRows(globalWork, instr.WorkMemory, memory, func(w *instr.Work, t taxon) instr.MemoryStat {
		s := w.Memory(t.classes[0])
		s.Add(model.SharedMemory(t.classes[0]))
		return s
	})(model, key)
}

// serverErrors returns the error that key names, or all.
func serverErrors(model Model, key Key) []serverError {
	var some []serverError
	all := model.ServerErrors()
	for i := range all {
		if e := (serverError{&all[i], i}); key.allows("ERROR_NUMBER", e.number()) {
			some = append(some, e)
		}
	}
	return some
}

// workEstimate is about how many rows there are if each thread, or actor, has one for each
// instrument of a family; who is about how many of these there are.
func workEstimate(family instr.Family, who func(Model) int) func(Model) int {
	return func(model Model) int { return who(model) * len(model.FamilyClasses(family)) }
}

// errorEstimate is workEstimate of errors.
func errorEstimate(who func(Model) int) func(Model) int {
	return func(model Model) int { return who(model) * len(model.ServerErrors()) }
}

// threadCount, actorCount and single are about how many threads, actors or sums there are.
func threadCount(model Model) int { return model.ThreadCount() }
func actorCount(Model) int        { return actorEstimate }
func single(Model) int            { return 1 }

// resetThreadWork is the TRUNCATE of the summaries by thread: it moves the statistics of threads to
// their actors.
func resetThreadWork(k instr.WorkKind) func(Model) {
	return func(model Model) { model.ResetThreadWork(k) }
}

// resetActorWork is the TRUNCATE of the summaries by account, user or host.
func resetActorWork(k instr.WorkKind, level instr.ActorLevel) func(Model) {
	return func(model Model) { model.ResetActorWork(k, level) }
}

// resetGlobalWork is the TRUNCATE of the global summaries: it empties the statistics of all threads
// and actors too.
func resetGlobalWork(k instr.WorkKind) func(Model) {
	return func(model Model) { model.ResetGlobalWork(k) }
}
