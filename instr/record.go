package instr

import "pfsd/timers"

// Histories keep ended events as packed records. Small records matter: when an event is added, its
// place in the history is usually not in the processor's cache any more, and there are places for
// many events of each thread.

// recordHead is an EventHead. It has no pointers.
type recordHead struct {
	thread, id, endID, nestingID uint64
	caller                       uintptr
	start, end                   uint64
	class                        uint16
	nestingType                  NestingType
	timer                        timers.ID
	timed                        bool
}

func (e *EventHead) record() recordHead {
	return recordHead{
		e.ThreadID, e.ID, e.EndID, e.NestingID, e.Caller, e.start, e.end, e.Class.id, e.NestingType, e.timer, e.timed,
	}
}

// event is the event of a class of a family of r.
func (h *recordHead) event(r *Registry, f Family) EventHead {
	return EventHead{
		ThreadID: h.thread, ID: h.id, Class: r.families[f].all()[h.class-1], EndID: h.endID, NestingID: h.nestingID,
		Caller: h.caller, start: h.start, end: h.end, NestingType: h.nestingType, Ended: true, timed: h.timed, timer: h.timer,
	}
}

// stageRecord is a StageEvent. It has no pointers.
type stageRecord struct {
	recordHead
	completed, estimated uint64
}

func (e *StageEvent) record() stageRecord {
	return stageRecord{e.EventHead.record(), e.WorkCompleted, e.WorkEstimated}
}

func (s *stageRecord) event(r *Registry) StageEvent {
	return StageEvent{s.recordHead.event(r, FamilyStages), s.completed, s.estimated}
}

// transactionRecord is a TransactionEvent.
type transactionRecord struct {
	recordHead
	TransactionOptions
	state                          TransactionState
	savepoints, rolledTo, released uint64
}

func (e *TransactionEvent) record() transactionRecord {
	return transactionRecord{
		e.EventHead.record(), e.TransactionOptions, e.State, e.Savepoints, e.RollbacksToSavepoint, e.ReleasedSavepoint,
	}
}

func (x *transactionRecord) event(r *Registry) TransactionEvent {
	return TransactionEvent{
		x.recordHead.event(r, FamilyTransactions), x.TransactionOptions, x.state, x.savepoints, x.rolledTo, x.released,
	}
}

// statementRecord is a StatementEvent.
type statementRecord struct {
	recordHead
	text, schema string
	digest       *Digest
	object       *[3]string // its type, schema and name; nil if it has none
	message      string
	sqlState     string
	errno, level int32
	statement    uint64
	counters     packedCounters
}

func (e *StatementEvent) record() statementRecord {
	s := statementRecord{
		recordHead: e.EventHead.record(), text: e.SQLText, schema: e.Schema, digest: e.Digest, message: e.Message,
		sqlState: e.SQLState, errno: int32(e.Errno), level: int32(e.Level), statement: e.StatementID,
	}
	if e.ObjectType != "" {
		s.object = &[3]string{e.ObjectType, e.ObjectSchema, e.ObjectName}
	}
	s.counters.pack(&e.Counters)
	return s
}

func (s *statementRecord) event(r *Registry) StatementEvent {
	e := StatementEvent{
		EventHead: s.recordHead.event(r, FamilyStatements), SQLText: s.text, Schema: s.schema, Digest: s.digest,
		Errno: int(s.errno), SQLState: s.sqlState, Message: s.message, Level: int(s.level), StatementID: s.statement,
	}
	if o := s.object; o != nil {
		e.ObjectType, e.ObjectSchema, e.ObjectName = o[0], o[1], o[2]
	}
	s.counters.unpack(&e.Counters)
	return e
}

// packedCounters is the counters of a statement, most of which are 0.
type packedCounters struct {
	set uint32 // the counters that are not 0
	few [fewCounters]uint64
	all *[StatementCounterCount]uint64 // all counters, if more than fewCounters are not 0; else nil
}

const fewCounters = 8

func (p *packedCounters) pack(counters *[StatementCounterCount]uint64) {
	n := 0
	for i, c := range counters {
		if c == 0 {
			continue
		}
		if n == fewCounters {
			all := *counters
			p.all = &all
			return
		}
		p.set |= 1 << i
		p.few[n] = c
		n++
	}
}

func (p *packedCounters) unpack(counters *[StatementCounterCount]uint64) {
	if p.all != nil {
		*counters = *p.all
		return
	}
	n := 0
	for i := range counters {
		if p.set>>i&1 != 0 {
			counters[i] = p.few[n]
			n++
		}
	}
}
