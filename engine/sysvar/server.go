package sysvar

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

// Prefix begins the names of the variables of the Performance Schema.
const Prefix = "performance_schema_"

// A Server has the system variables of a server. Safe for concurrent use.
type Server struct {
	reg *instr.Registry
	// declared are all variables by name, visible those that clients see, in the order of their names. Both
	// are immutable.
	declared map[string]*sqlVariable
	visible  []*Variable

	states  sessionStates
	loaders sync.Map // by *instr.Thread: threads that open the file of a LOAD DATA

	mu        *instr.Mutex // held while values change
	values    atomic.Pointer[globalValues]
	persisted *Persisted
	hold      *budget.Hold               // of the texts of global values; guarded by mu, nil if they are not charged
	changed   map[string]func(value any) // called with a new global value, mu held
}

// globalValues is a snapshot of the global values of all variables. It is immutable.
type globalValues struct {
	values map[string]sql.SystemVarValue
	number uint64 // unique
	// settings has the origins of values that are not the default.
	settings map[string]Origin
}

// An Origin is the source of a variable's value, as variables_info shows it.
type Origin struct {
	Source string // COMPILED, COMMAND_LINE, EXPLICIT, EXTRA, PERSISTED or DYNAMIC
	Path   string // the file, "" if it is none
	// Time, User and Host are those of the SET; zero if there was none.
	Time       time.Time
	User, Host string
}

// Values of VARIABLE_SOURCE.
const (
	sourceCompiled    = "COMPILED"
	SourceCommandLine = "COMMAND_LINE"
	SourceExplicit    = "EXPLICIT" // --defaults-file
	SourceExtra       = "EXTRA"    // --defaults-extra-file
	SourcePersisted   = "PERSISTED"
	sourceDynamic     = "DYNAMIC"
)

// A Config has the initial values of a server's variables.
type Config struct {
	Registry *instr.Registry
	// Extra are variables in addition to those of All.
	Extra []Variable
	// Values are values that count as defaults, Texts values in the form of options; both by name.
	Values map[string]any
	Texts  map[string]string
	// Maxima replace the declared Max, by name.
	Maxima map[string]int64
	// Origins are the sources of values, by name.
	Origins map[string]Origin
	// Persisted are the values of SET PERSIST.
	Persisted *Persisted
}

// All returns MySQL's system variables, which every server has.
func All() []Variable { return slices.Clone(mysqlVariables) }

// New makes the variables of a server.
func New(c Config) *Server {
	s := &Server{
		reg: c.Registry, declared: map[string]*sqlVariable{}, changed: map[string]func(any){},
		mu: c.Registry.NewMutex("sql/LOCK_global_system_variables"), persisted: c.Persisted,
	}
	s.persisted.open(c.Registry)
	values := &globalValues{number: stateNumbers.Add(1), values: map[string]sql.SystemVarValue{}, settings: map[string]Origin{}}
	add := func(v *Variable) {
		if n, ok := c.Maxima[v.Name]; ok && v.numeric() && n >= v.Min {
			v.Max = min(v.Max, uint64(n))
		}
		declared := newSQLVariable(v)
		s.declared[v.Name] = declared
		if !v.hidden {
			s.visible = append(s.visible, v)
		}
		values.values[v.Name] = sql.SystemVarValue{Var: declared, Val: v.initial()}
	}
	for _, v := range mysqlVariables {
		add(&v)
	}
	for _, v := range c.Extra {
		add(&v)
	}
	for _, v := range hiddenVariables {
		v.hidden = true
		add(&v)
	}
	slices.SortFunc(s.visible, func(a, b *Variable) int { return cmp.Compare(a.Name, b.Name) })
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
			values.settings[v.Name] = from
		}
	}
	for name, value := range inForce {
		v := s.declared[name]
		values.values[name] = sql.SystemVarValue{Var: v, Val: v.fromGo(value)}
	}
	s.values.Store(values)
	return s
}

// NoDirectory is the value of secure_file_priv that allows no files.
const NoDirectory = "/nonexistent"

// find returns a visible variable by its name in any letter case, nil if there is none.
func (s *Server) find(name string) *Variable {
	v := s.declared[strings.ToLower(name)]
	if v == nil || v.hidden {
		return nil
	}
	return v.Variable
}

// Global returns the global value of a variable, which must be declared.
func (s *Server) Global(name string) any { return s.values.Load().values[name].Val }

// Integer returns the global value of a number or boolean; a boolean is 1 if it is on.
func (s *Server) Integer(name string) int64 {
	switch n := s.Global(name).(type) {
	case int8:
		return int64(n)
	case int64:
		return n
	case uint64:
		return int64(min(n, math.MaxInt64))
	}
	return 0
}

// set sets global values, which have been checked, and their origin. The error is that a memory limit does not allow them.
func (s *Server) set(values map[string]any, from Origin) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.values.Load()
	now := &globalValues{number: stateNumbers.Add(1), values: maps.Clone(before.values), settings: maps.Clone(before.settings)}
	for name, value := range values {
		now.values[name] = sql.SystemVarValue{Var: s.declared[name], Val: value}
		now.settings[name] = from
	}
	if err := s.chargeGlobals(now); err != nil {
		return err
	}
	s.values.Store(now)
	for name, value := range values {
		if changed := s.changed[name]; changed != nil {
			changed(value)
		}
	}
	return nil
}

// OnChange sets a function that is called with each new global value of a variable. Calls do not
// overlap. Call OnChange before the server serves.
func (s *Server) OnChange(name string, fn func(value any)) { s.changed[name] = fn }

// Get implements globals.Variables.
func (s *Server) Get(name string) (sql.SystemVariable, any, bool) {
	v, ok := s.values.Load().values[strings.ToLower(name)]
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

// WhileLoading calls open; meanwhile the calling goroutine may read a file as if a client sent it (local_infile).
func (s *Server) WhileLoading(open func()) {
	t := instr.Current()
	s.loaders.Store(t, nil)
	defer s.loaders.Delete(t)
	open()
}

// Session implements globals.Variables.
func (s *Server) Session() map[string]sql.SystemVarValue { return s.values.Load().values }

// Set implements globals.Variables.
func (s *Server) Set(ctx *sql.Context, name string, value any) error {
	v := s.declared[strings.ToLower(name)]
	if v == nil {
		return mysqlerr.UnknownVariable(name)
	}
	checked, err := v.check(ctx, value, s.Global(v.Name))
	if err == nil {
		err = s.set(map[string]any{v.Name: checked}, settingOf(ctx))
	}
	return err
}

// settingOf returns the origin of a SET in ctx.
func settingOf(ctx *sql.Context) Origin {
	c := ctx.Session.Client()
	return Origin{Source: sourceDynamic, Time: time.Now(), User: c.User, Host: c.Address}
}
