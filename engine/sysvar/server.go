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

	"pfsd/engine/mysqlerr"
	"pfsd/instr"
)

// Prefix begins the names of the variables of the Performance Schema.
const Prefix = "performance_schema_"

// A Server has the system variables of a server. Safe for concurrent use.
type Server struct {
	reg     *instr.Registry
	making  atomic.Bool // see Serve
	crowded atomic.Bool // there may have been no room for the classes of the server's own threads
	// declared are the variables by name, and visible those that clients see, in the order of their
	// names. They do not change.
	declared map[string]*sqlVariable
	visible  []*Variable

	states  sessionStates
	loaders sync.Map // by *instr.Thread: those that open the file of a LOAD DATA

	mu     *instr.Mutex // held by who changes values
	values atomic.Pointer[globalValues]
	// persisted are the values that SET PERSIST keeps.
	persisted *Persisted
	changed   map[string]func(value any) // called with a new global value, mu held
}

// globalValues are the global values of all variables at one moment. They do not change.
type globalValues struct {
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
	SourceCommandLine = "COMMAND_LINE"
	SourceExplicit    = "EXPLICIT" // --defaults-file
	SourceExtra       = "EXTRA"    // --defaults-extra-file
	SourcePersisted   = "PERSISTED"
	sourceDynamic     = "DYNAMIC"
)

// A Config is what the variables of a server begin with.
type Config struct {
	Registry *instr.Registry
	// More are variables that are declared besides those of All.
	More []Variable
	// Values are in force, and count as defaults; Texts are values as options have them. Both are by name.
	Values map[string]any
	Texts  map[string]string
	// Maxima are the largest values of numbers, by name.
	Maxima map[string]int64
	// Origins say where values come from, by name.
	Origins map[string]Origin
	// Persisted are the values that SET PERSIST keeps.
	Persisted *Persisted
}

// All are the system variables of MySQL that each server has.
func All() []Variable { return slices.Clone(mysqlVariables) }

// New makes the variables of a server.
func New(c Config) *Server {
	s := &Server{
		reg: c.Registry, declared: map[string]*sqlVariable{}, changed: map[string]func(any){},
		mu: c.Registry.NewMutex("sql/LOCK_global_system_variables"), persisted: c.Persisted,
	}
	s.persisted.open(c.Registry)
	values := &globalValues{number: stateNumbers.Add(1), of: map[string]sql.SystemVarValue{}, settings: map[string]Origin{}}
	add := func(v *Variable) {
		if n, ok := c.Maxima[v.Name]; ok && v.numeric() && n >= v.Min {
			v.Max = min(v.Max, uint64(n))
		}
		declared := newSQLVariable(v)
		s.declared[v.Name] = declared
		if !v.hidden {
			s.visible = append(s.visible, v)
		}
		values.of[v.Name] = sql.SystemVarValue{Var: declared, Val: v.initial()}
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
		values.of[name] = sql.SystemVarValue{Var: v, Val: v.plain(value)}
	}
	s.values.Store(values)
	return s
}

// NoDirectory is secure_file_priv where files may be nowhere.
const NoDirectory = "/nonexistent"

// find returns the variable that clients know by a name in any letter case, nil if there is none.
func (s *Server) find(name string) *Variable {
	v := s.declared[strings.ToLower(name)]
	if v == nil || v.hidden {
		return nil
	}
	return v.Variable
}

// Global is the global value of a variable that is declared.
func (s *Server) Global(name string) any { return s.values.Load().of[name].Val }

// Integer is the global value of a variable that is a number, or a switch, which is 1 if it is on.
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

// set gives variables global values, which have been checked, and notes where they come from.
func (s *Server) set(values map[string]any, from Origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.values.Load()
	now := &globalValues{number: stateNumbers.Add(1), of: maps.Clone(before.of), settings: maps.Clone(before.settings)}
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

// OnChange has fn called with each new global value of a variable, one after the other. It is
// for the time before the server is served.
func (s *Server) OnChange(name string, fn func(value any)) { s.changed[name] = fn }

// Get implements compat.Variables.
func (s *Server) Get(name string) (sql.SystemVariable, any, bool) {
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

// Loading calls open, during which the calling goroutine may read a file as if a client sent it.
func (s *Server) Loading(open func()) {
	t := instr.Current()
	s.loaders.Store(t, nil)
	defer s.loaders.Delete(t)
	open()
}

// Session implements compat.Variables.
func (s *Server) Session() map[string]sql.SystemVarValue { return s.values.Load().of }

// Set implements compat.Variables.
func (s *Server) Set(ctx *sql.Context, name string, value any) error {
	v := s.declared[strings.ToLower(name)]
	if v == nil {
		return mysqlerr.UnknownVariable(name)
	}
	checked, err := v.check(ctx, value, s.Global(v.Name))
	if err == nil {
		s.set(map[string]any{v.Name: checked}, settingOf(ctx))
	}
	return err
}

// settingOf is a SET in ctx.
func settingOf(ctx *sql.Context) Origin {
	c := ctx.Session.Client()
	return Origin{Source: sourceDynamic, Time: time.Now(), User: c.User, Host: c.Address}
}
