package routine

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/budget"
	"pfsd/engine/charge"
)

// What a program keeps while it runs is charged to its statement: the values of its variables until their block ends, the rows of a cursor
// until it is closed, and what stands for variables in a statement while that is carried out.

const (
	// variableBytes is about what a variable takes besides its name and its value.
	variableBytes = 160
	// smallRows is how much a program reads or puts into a statement without being charged, bytes: nearly always it is less.
	smallRows = 16 << 10
)

// newHold returns a hold that lasts as long as the program, not its step.
func (p *Program) newHold() *budget.Hold { return charge.HoldIn(p.Context(), p.Memory, charge.Cached) }

// charge charges a scope with more bytes, or with fewer if more is negative.
func (p *Program) charge(s *programScope, more int64) error {
	if more <= 0 {
		s.hold.Discharge(-more)
		return nil
	}
	if s.hold == nil {
		s.hold = p.newHold()
	}
	return s.hold.Charge(more)
}

// newVariable adds a variable without a value to the innermost scope.
func (p *Program) newVariable(name string, kind sql.Type) (*programVariable, error) {
	v := &programVariable{kind: kind, scope: p.scope}
	if p.scope.variables[name] == nil {
		if err := p.charge(p.scope, variableBytes+int64(len(name))); err != nil {
			return nil, err
		}
	}
	p.scope.variables[name] = v
	return v, nil
}

// keep gives a variable a value of its type. The error is that a limit does not allow it.
func (p *Program) keep(v *programVariable, value any) error {
	bytes := charge.Size(value)
	if err := p.charge(v.scope, bytes-v.bytes); err != nil {
		return err
	}
	v.value, v.bytes = value, bytes
	return nil
}

// end notes that the block of a scope has ended.
func (s *programScope) end() {
	s.hold.Drop()
	for _, c := range s.cursors {
		c.close()
	}
}

// close forgets the rows of a cursor.
func (c *programCursor) close() {
	c.hold.Drop()
	c.open, c.rows, c.hold = false, nil, nil
}

// keptRows are rows that a program has read, and what they are charged to, nil if they are few.
type keptRows struct {
	p     *Program
	all   []sql.Row
	sizes charge.RowSizes
	bytes int64 // that are not charged yet
	hold  *budget.Hold
}

// add adds a row, which does not change any more.
func (k *keptRows) add(row sql.Row) error {
	k.all = append(k.all, row)
	if k.bytes += k.sizes.Add(row); k.bytes < smallRows {
		return nil
	}
	return k.chargeRest()
}

// chargeRest charges what is not charged yet: the rows are kept for longer.
func (k *keptRows) chargeRest() error {
	if k.hold == nil {
		k.hold = k.p.newHold()
	}
	err := k.hold.Charge(k.bytes)
	k.bytes = 0
	return err
}

// chargeBound charges what stands for variables in a statement, until unbind.
func (p *Program) chargeBound(bytes int64) error {
	if bytes < smallRows {
		return nil
	}
	if p.bound == nil {
		p.bound = p.newHold()
	}
	return p.bound.Charge(bytes)
}

// unbind takes the values of variables out of a statement that has been carried out.
func (p *Program) unbind(names []*ast.ColName) {
	for _, c := range names {
		c.StoredProcVal = nil
	}
	p.bound.Drop()
	p.bound = nil
}

// literalBytes is how many bytes the text of a literal has.
func literalBytes(e ast.Expr) int64 {
	if v, ok := e.(*ast.SQLVal); ok {
		return int64(len(v.Val))
	}
	return 0
}
