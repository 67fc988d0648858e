package programs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// The SQL engine runs the statements of triggers, and keeps the values of their variables. What a statement has given a value is charged
// to the statement that fires the trigger, until the trigger ends.

// triggerScope is a block of a trigger with the variables that it declares, by name in lower case.
type triggerScope struct {
	outer     *triggerScope
	variables map[string]*triggerVariable
}

// triggerVariable is a declaration of a variable.
type triggerVariable struct{ name string }

// in returns a scope for a block within s, which may be nil.
func (s *triggerScope) in() *triggerScope {
	return &triggerScope{outer: s, variables: map[string]*triggerVariable{}}
}

// find returns the variable with a name, nil if there is none.
func (s *triggerScope) find(name string) *triggerVariable {
	for ; s != nil; s = s.outer {
		if v := s.variables[strings.ToLower(name)]; v != nil {
			return v
		}
	}
	return nil
}

// triggerTarget is a variable that a statement of a trigger gives a value.
type triggerTarget struct {
	variable *triggerVariable
	value    func(*sql.Context) (any, error)
}

// targets returns the variables that n gives values. It adds those that n declares to the scope.
func (s *triggerScope) targets(n sql.Node) (all []triggerTarget) {
	var params []sql.Expression
	switch n := n.(type) {
	case *plan.DeclareVariables:
		for _, name := range n.Names {
			v := &triggerVariable{strings.ToLower(name)}
			s.variables[v.name] = v
			all = append(all, triggerTarget{v, func(*sql.Context) (any, error) { return n.Pref.GetVariableValue(v.name) }})
		}
	case *plan.Set:
		for _, e := range n.Exprs {
			if f, ok := e.(*expression.SetField); ok {
				params = append(params, f.LeftChild)
			}
		}
	case *plan.Fetch:
		params = n.ToSet
	case *plan.Into:
		params = n.IntoVars
	case *plan.Call:
		params = n.Params
	}
	for _, e := range params {
		if p, ok := e.(*expression.ProcedureParam); ok {
			if v := s.find(p.Name()); v != nil {
				all = append(all, triggerTarget{v, func(ctx *sql.Context) (any, error) { return p.Eval(ctx, nil) }})
			}
		}
	}
	return all
}

// triggerMemory is what the variables of a trigger that runs take. The zero value is not charged.
type triggerMemory struct {
	part  *budget.Part // in which the trigger runs; nil for none
	hold  *budget.Hold
	bytes map[*triggerVariable]int64
}

// keep charges the variables that a statement has given values. The error is that a limit does not allow them.
func (m *triggerMemory) keep(ctx *sql.Context, targets []triggerTarget) error {
	for _, t := range targets {
		value, err := t.value(ctx)
		if err != nil {
			return err
		}
		bytes := charge.Size(value)
		more := bytes - m.bytes[t.variable]
		if more <= 0 {
			m.hold.Discharge(-more)
		} else {
			if m.hold == nil {
				m.hold, m.bytes = charge.HoldIn(ctx, m.part, charge.Cached), map[*triggerVariable]int64{}
			}
			if err := m.hold.Charge(more); err != nil {
				return err
			}
		}
		if m.bytes != nil {
			m.bytes[t.variable] = bytes
		}
	}
	return nil
}
