package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pfsd/instr"
)

// This file has what the tables of status variables share, and SHOW STATUS.

// StatusValue is a status variable and its value as text.
type StatusValue struct{ Name, Value string }

// StatusSource is the status variables that a server knows, in addition to those that threads
// count, which the model has. Safe for concurrent use.
type StatusSource interface {
	// GlobalStatus returns the variables of the whole server.
	GlobalStatus() []StatusValue
	// SessionStatus returns the variables of the connection with a thread. A variable that GlobalStatus has too
	// has another value there.
	SessionStatus(t Thread) []StatusValue
	// ResetStatus empties what FLUSH STATUS empties.
	ResetStatus()
}

type statusKey struct{}

// ProvideStatus adds the variables of s to the tables of status variables of a model; nil removes
// them. Safe for concurrent use.
func ProvideStatus(model Model, s StatusSource) {
	if s == nil {
		model.Provide(statusKey{}, nil)
		return
	}
	model.Provide(statusKey{}, s)
}

func statusSource(model Model) StatusSource {
	s, _ := model.Provided(statusKey{}).(StatusSource)
	return s
}

// ResetStatus is FLUSH STATUS, and TRUNCATE of global_status. Safe for concurrent use.
func ResetStatus(model Model) {
	model.ResetStatus()
	model.ResetLost()
	if s := statusSource(model); s != nil {
		s.ResetStatus()
	}
}

// commandPrefix is the beginning of the names of the counters of statements. As in MySQL, only SHOW
// STATUS shows these, except one, which isCommand does not count among them.
const commandPrefix = "Com_"

func isCommand(name string) bool {
	return strings.HasPrefix(name, commandPrefix) && name != "Com_stmt_reprepare"
}

// statusRow is a status variable of a thread, an actor or the server.
type statusRow struct {
	who     *instr.Status // nil: of the whole server, or of the connection that reads
	name    string
	text    string // unless it is a number
	count   uint64 // the number
	numbers *numbers
}

// value is VARIABLE_VALUE.
func (r *statusRow) value() Value {
	if r.numbers != nil {
		return Text(r.numbers.text(r.count))
	}
	return Text(r.text)
}

// numbers converts numbers to texts, many of which share memory. Owned by one goroutine.
type numbers struct{ chunk strings.Builder }

const (
	numbersChunk = 4096 // bytes
	numberMax    = 20   // digits
)

func (n *numbers) text(v uint64) string {
	if n.chunk.Cap()-n.chunk.Len() < numberMax {
		n.chunk = strings.Builder{}
		n.chunk.Grow(numbersChunk)
	}
	var digits [numberMax]byte
	start := n.chunk.Len()
	n.chunk.Write(strconv.AppendUint(digits[:0], v, 10))
	return n.chunk.String()[start:]
}

func (r *statusRow) user() string { return r.who.User }
func (r *statusRow) host() string { return r.who.Host }

// statusColumns are VARIABLE_NAME and VARIABLE_VALUE; doc is the documentation of the value.
func statusColumns(doc string) []Column[*statusRow] {
	return []Column[*statusRow]{
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *statusRow) Value { return Text(r.name) }, Doc: "The variable's name."},
		{Name: "VARIABLE_VALUE", Kind: varchar(1024).nullable(), Get: (*statusRow).value, Doc: doc},
	}
}

// statusCounts appends counters of threads.
func statusCounts(rows []statusRow, s *instr.Status, all []*instr.StatusVariable, n *numbers) []statusRow {
	for _, v := range all {
		rows = append(rows, statusRow{who: s, name: v.Name(), count: s.Value(v), numbers: n})
	}
	return rows
}

// statusVariables returns those counters of threads for which keep returns true, in the order of
// their names.
func statusVariables(model Model, key Key, keep func(*instr.StatusVariable) bool) (all []*instr.StatusVariable) {
	for _, v := range model.StatusVariables() {
		if keep(v) && key.allows("VARIABLE_NAME", Text(v.Name())) {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b *instr.StatusVariable) int { return compareStatus(a.Name(), b.Name()) })
	return all
}

// compareStatus compares names of status variables in MySQL's order, in which all counters of
// statements are equal.
func compareStatus(a, b string) int {
	if isCommand(a) {
		a = commandPrefix
	}
	if isCommand(b) {
		b = commandPrefix
	}
	return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
}

// sortStatus returns those variables that key allows, in the order of their names.
func sortStatus(rows []statusRow, key Key) []statusRow {
	rows = slices.DeleteFunc(rows, func(r statusRow) bool { return !key.allows("VARIABLE_NAME", Text(r.name)) })
	slices.SortStableFunc(rows, func(a, b statusRow) int { return compareStatus(a.name, b.name) })
	return rows
}

// allStatus returns the variables of the whole server, or if session is true those of the
// connection with thread t. commands says whether to include the counters of statements. A
// connection without a thread has no counters.
func allStatus(model Model, key Key, t Thread, session, commands bool) []statusRow {
	var rows []statusRow
	source := statusSource(model)
	own := map[string]bool{}
	if session && t != nil && source != nil {
		for _, v := range source.SessionStatus(t) {
			own[v.Name] = true
			rows = append(rows, statusRow{name: v.Name, text: v.Value})
		}
	}
	if source != nil {
		for _, v := range source.GlobalStatus() {
			if !own[v.Name] {
				rows = append(rows, statusRow{name: v.Name, text: v.Value})
			}
		}
	}
	all, n := model.GlobalStatus(), new(numbers)
	counts := func(s *instr.Status, keep func(*instr.StatusVariable) bool) {
		rows = statusCounts(rows, s, statusVariables(model, key, func(v *instr.StatusVariable) bool {
			return (commands || !isCommand(v.Name())) && keep(v)
		}), n)
	}
	if !session {
		counts(&all, func(*instr.StatusVariable) bool { return true })
		return sortStatus(rows, key)
	}
	counts(&all, (*instr.StatusVariable).Kept)
	if t != nil {
		mine := t.Status()
		counts(&mine, func(v *instr.StatusVariable) bool { return !v.Kept() })
	}
	return sortStatus(rows, key)
}

// ShowStatus returns the rows of SHOW STATUS of a connection with thread t, nil if it has none,
// or of SHOW GLOBAL STATUS. Safe for concurrent use.
func ShowStatus(model Model, t Thread, global bool) []StatusValue {
	rows := allStatus(model, nil, t, !global, true)
	values := make([]StatusValue, len(rows))
	for i := range rows {
		values[i] = StatusValue{rows[i].name, rows[i].value().Str()}
	}
	return values
}

// threadStatus starts a scan of the variables of each connection.
func threadStatus(model Model, key Key) Source[*statusRow] {
	all := statusVariables(model, key, func(v *instr.StatusVariable) bool { return !isCommand(v.Name()) })
	source, n := statusSource(model), new(numbers)
	var s instr.Status
	var rows []statusRow
	var refs []*statusRow
	return each(threadsOf(model, key), func(t Thread) []*statusRow {
		if !t.ReadStatus(&s) {
			return nil
		}
		rows, refs = statusCounts(rows[:0], &s, all, n), refs[:0]
		if source != nil {
			for _, v := range source.SessionStatus(t) {
				rows = append(rows, statusRow{who: &s, name: v.Name, text: v.Value})
			}
			rows = sortStatus(rows, key)
		}
		for i := range rows {
			refs = append(refs, &rows[i])
		}
		return refs
	})
}

// actorStatus starts a scan of the counters of each account, user or host.
func actorStatus(level instr.ActorLevel) func(Model, Key) Source[*statusRow] {
	return func(model Model, key Key) Source[*statusRow] {
		all := statusVariables(model, key, func(v *instr.StatusVariable) bool { return !isCommand(v.Name()) && !v.Kept() })
		actors := slices.DeleteFunc(model.ActorStatus(level, actorFilter(model, key, "USER", "HOST")), func(s instr.Status) bool {
			return !allowsActor(key, s.User, s.Host)
		})
		of := make([]*instr.Status, len(actors))
		for i := range actors {
			of[i] = &actors[i]
		}
		n := new(numbers)
		var rows []statusRow
		var refs []*statusRow
		return each(of, func(s *instr.Status) []*statusRow {
			rows, refs = statusCounts(rows[:0], s, all, n), refs[:0]
			for i := range rows {
				refs = append(refs, &rows[i])
			}
			return refs
		})
	}
}

// statusEstimate is about how many rows there are if each thread, or actor, has all variables; who
// is about how many of these there are.
func statusEstimate(who func(Model) int) func(Model) int {
	return func(model Model) int { return who(model) * max(1, len(model.StatusVariables())) }
}
