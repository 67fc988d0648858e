package engine

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// variablePrefix begins the names of the variables that are ours.
const variablePrefix = "performance_schema_"

// variables are the system variables of a server. Safe for concurrent use.
type variables struct {
	reg *instr.Registry
	// declared are the variables by name, and visible those that clients see, in the order of their
	// names. They do not change.
	declared map[string]*variable
	visible  []*variable

	states  sessionStates
	loaders sync.Map // by *instr.Thread: those that open the file of a LOAD DATA

	mu     *instr.Mutex // held by who changes values
	values atomic.Pointer[variableValues]
	// persisted are the values that SET PERSIST keeps.
	persisted *persisted
	changed   map[string]func(value any) // called with a new global value, mu held
}

// variableValues are the global values of all variables at one moment. They do not change.
type variableValues struct {
	of     map[string]sql.SystemVarValue
	number uint64 // which no others have
	// settings tell of the variables that do not have their default, who has set them.
	settings map[string]Origin
}

// An Origin is where the value of a variable comes from, as variables_info shows it.
type Origin struct {
	Source string // COMPILED, COMMAND_LINE, EXPLICIT, EXTRA, PERSISTED or DYNAMIC
	Path   string // the file, "" if it is none
	// Time is that of the SET, User and Host are who has set it; zero if there was none.
	Time       time.Time
	User, Host string
}

// Sources of values, as VARIABLE_SOURCE has them.
const (
	sourceCompiled    = "COMPILED"
	sourceCommandLine = "COMMAND_LINE"
	sourceExplicit    = "EXPLICIT" // --defaults-file
	sourceExtra       = "EXTRA"    // --defaults-extra-file
	sourcePersisted   = "PERSISTED"
	sourceDynamic     = "DYNAMIC"
)

// A variablesConfig is what the variables of a server begin with.
type variablesConfig struct {
	Registry *instr.Registry
	// More are variables that are declared besides those of All.
	More []variable
	// Values are in force, and count as defaults; Texts are values as options have them. Both are by name.
	Values map[string]any
	Texts  map[string]string
	// Maxima are the largest values of numbers, by name.
	Maxima map[string]int64
	// Origins say where values come from, by name.
	Origins map[string]Origin
	// Persisted are the values that SET PERSIST keeps.
	Persisted *persisted
}

// declaredVariables are the system variables of MySQL that each server has.
func declaredVariables() []variable { return slices.Clone(mysqlVariables) }

// newVariables makes the variables of a server.
func newVariables(c variablesConfig) *variables {
	s := &variables{
		reg: c.Registry, declared: map[string]*variable{}, changed: map[string]func(any){},
		mu: c.Registry.NewMutex("sql/LOCK_global_system_variables"), persisted: c.Persisted,
	}
	s.persisted.open(c.Registry)
	values := &variableValues{number: stateNumbers.Add(1), of: map[string]sql.SystemVarValue{}, settings: map[string]Origin{}}
	add := func(v *variable) {
		if n, ok := c.Maxima[v.name]; ok && v.numeric() && n >= v.min {
			v.max = min(v.max, uint64(n))
		}
		v.sqlType = v.newType()
		if v.live == nil {
			v.live = liveVariables[v.name]
		}
		s.declared[v.name] = v
		if !v.hidden {
			s.visible = append(s.visible, v)
		}
		values.of[v.name] = sql.SystemVarValue{Var: v, Val: v.initial()}
	}
	for _, v := range mysqlVariables {
		add(&v)
	}
	for _, v := range c.More {
		add(&v)
	}
	for _, v := range hiddenVariables {
		v.hidden = true
		add(&v)
	}
	slices.SortFunc(s.visible, func(a, b *variable) int { return cmp.Compare(a.name, b.name) })
	inForce := maps.Clone(c.Values)
	for name, text := range c.Texts {
		if v := s.declared[name]; v != nil {
			if value, err := v.parse(text); err == nil {
				inForce[name] = value
			}
		}
	}
	for name, from := range c.Origins {
		if v := s.find(name); v != nil {
			values.settings[v.name] = from
		}
	}
	for name, value := range inForce {
		v := s.declared[name]
		values.of[name] = sql.SystemVarValue{Var: v, Val: v.plain(value)}
	}
	s.values.Store(values)
	return s
}

// noDirectory is secure_file_priv where files may be nowhere.
const noDirectory = "/nonexistent"

// find returns the variable that clients know by a name in any letter case, nil if there is none.
func (s *variables) find(name string) *variable {
	v := s.declared[strings.ToLower(name)]
	if v == nil || v.hidden {
		return nil
	}
	return v
}

// global is the global value of a variable that is declared.
func (s *variables) global(name string) any { return s.values.Load().of[name].Val }

// integer is the global value of a variable that is a number, or a switch, which is 1 if it is on.
func (s *variables) integer(name string) int64 {
	switch n := s.global(name).(type) {
	case int8:
		return int64(n)
	case int64:
		return n
	case uint64:
		return int64(min(n, math.MaxInt64))
	}
	return 0
}

// set gives variables global values, which have been checked, and notes where they come from.
func (s *variables) set(values map[string]any, from Origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.values.Load()
	now := &variableValues{number: stateNumbers.Add(1), of: maps.Clone(before.of), settings: maps.Clone(before.settings)}
	for name, value := range values {
		now.of[name] = sql.SystemVarValue{Var: s.declared[name], Val: value}
		now.settings[name] = from
	}
	s.values.Store(now)
	for name, value := range values {
		if changed := s.changed[name]; changed != nil {
			changed(value)
		}
	}
}

// onChange has fn called with each new global value of a variable, one after the other. It is
// for the time before the server is served.
func (s *variables) onChange(name string, fn func(value any)) { s.changed[name] = fn }

// Get implements compat.Variables.
func (s *variables) Get(name string) (sql.SystemVariable, any, bool) {
	v, ok := s.values.Load().of[strings.ToLower(name)]
	if !ok {
		return nil, nil, false
	}
	if name == "local_infile" {
		if _, loads := s.loaders.Load(instr.Current()); loads {
			return v.Var, int8(1), true
		}
	}
	return v.Var, v.Val, true
}

// loading calls open, during which the calling goroutine may read a file as if a client sent it.
func (s *variables) loading(open func()) {
	t := instr.Current()
	s.loaders.Store(t, nil)
	defer s.loaders.Delete(t)
	open()
}

// Session implements compat.Variables.
func (s *variables) Session() map[string]sql.SystemVarValue { return s.values.Load().of }

// Set implements compat.Variables.
func (s *variables) Set(ctx *sql.Context, name string, value any) error {
	v := s.declared[strings.ToLower(name)]
	if v == nil {
		return mysqlerr.UnknownVariable(name)
	}
	checked, err := v.check(ctx, value, s.global(v.name))
	if err == nil {
		s.set(map[string]any{v.name: checked}, settingOf(ctx))
	}
	return err
}

// settingOf is a SET in ctx.
func settingOf(ctx *sql.Context) Origin {
	c := ctx.Session.Client()
	return Origin{Source: sourceDynamic, Time: time.Now(), User: c.User, Host: c.Address}
}

// sessionVariables are the values of the variables of a session, for others to read. Safe
// for concurrent use; only the session itself sets.
type sessionVariables struct {
	begun     *variableValues // as they were when the session began
	execution time.Duration   // max_execution_time; the session itself reads it
	memory    budget.Limits   // the session itself reads it
	mu        sync.Mutex
	own       map[string]any // guarded by mu; what it has set, nil if nothing
	// setting tells that the session has a map of its own to set a variable in; the session itself reads and sets it.
	setting bool
	// shared are all values, and the states of all sessions; the session itself reads and sets them.
	shared *sharedValues
	states *sessionStates
}

// newSessionVariables are those of a session that begins.
func (s *variables) newSessionVariables() *sessionVariables {
	own := &sessionVariables{begun: s.values.Load(), states: &s.states}
	own.shared = s.states.of(own.begun, nil)
	for _, name := range []string{maxExecutionTime, budget.QueryLimit, budget.ConnectionLimit, budget.ChunkSize} {
		own.limit(name, own.begun.of[name].Val)
	}
	return own
}

const maxExecutionTime = "max_execution_time"

// limit keeps what each statement asks for.
func (s *sessionVariables) limit(name string, value any) {
	if n, ok := value.(uint64); ok && name == maxExecutionTime {
		s.execution = time.Duration(n) * time.Millisecond
	}
	s.memory.Set(name, value)
}

// set notes what the session has set. It returns the values of all its variables, which do not change.
func (s *sessionVariables) set(name string, value any) map[string]sql.SystemVarValue {
	s.limit(name, value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if begun, ok := s.begun.of[name]; ok && begun.Val == value {
		delete(s.own, name)
	} else {
		if s.own == nil {
			s.own = map[string]any{}
		}
		s.own[name] = value
	}
	s.shared = s.states.of(s.begun, s.own)
	return s.shared.of
}

// get is the value of one of them.
func (s *sessionVariables) get(name string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, ok := s.own[name]; ok {
		return value
	}
	return s.begun.of[name].Val
}

// all are the values by name, of global variables, too.
func (s *sessionVariables) all() func(name string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := maps.Clone(s.own)
	return func(name string) any {
		if value, ok := own[name]; ok {
			return value
		}
		return s.begun.of[name].Val
	}
}
