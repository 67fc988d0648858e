package sqlexpr

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/hexliterals"
	"pfsd/engine/mends"
	"pfsd/engine/sqlvalue"
)

// comparedMembers returns a comparison of which an ENUM or SET is compared with a text as texts. It
// returns e if e needs no change.
//
// go-mysql-server: converts the text to a member, or compares numbers, or fails if the text is no
// member, by the operator and by the plan. MySQL: compares the texts.
func comparedMembers(ctx *sql.Context, e sql.Expression) (sql.Expression, bool, error) {
	if !mends.ComparedMembers.On() {
		return e, false, nil
	}
	var sides []sql.Expression
	order := true
	switch e := e.(type) {
	case *expression.Equals, *expression.NullSafeEquals:
		sides, order = e.Children(), false
	case *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.LessThan, *expression.LessThanOrEqual, *expression.Between:
		sides = e.Children()
	case *expression.InTuple:
		list, ok := e.Right().(expression.Tuple)
		if !ok {
			return e, false, nil
		}
		sides, order = append([]sql.Expression{e.Left()}, list...), false
	default:
		return e, false, nil
	}
	changed := memberTexts(ctx, sides, order)
	if changed == nil {
		changed = memberNumbers(ctx, sides)
	}
	if changed == nil {
		return e, false, nil
	}
	var to sql.Expression
	var err error
	if _, in := e.(*expression.InTuple); in {
		to = expression.NewInTuple(changed[0], expression.Tuple(changed[1:]))
	} else {
		to, err = e.WithChildren(ctx, changed...)
	}
	return to, true, err
}

// memberTexts returns the operands of a comparison with the texts of ENUMs and SETs in their place;
// nil if they stay as they are. order says that the comparison is one by order.
func memberTexts(ctx *sql.Context, sides []sql.Expression, order bool) []sql.Expression {
	members, texts, made := 0, 0, false
	for _, s := range sides {
		if !s.Resolved() {
			return nil
		}
		t := s.Type(ctx)
		l, literal := s.(*expression.Literal)
		switch {
		case isMember(t):
			members++
		case literal && l.Value() == nil:
		case types.IsText(t):
			texts++
			made = made || !literal || !isAnyMember(ctx, sides, l)
		default:
			return nil // a number, or a time
		}
	}
	if members == 0 || members+texts < 2 || !order && !made && members < 2 {
		return nil // a literal that is a member finds it by its number
	}
	changed := make([]sql.Expression, len(sides))
	for i, s := range sides {
		if changed[i] = s; isMember(s.Type(ctx)) {
			changed[i] = textOfMember(ctx, s)
		}
	}
	return changed
}

// memberNumbers returns the operands of a comparison with the numbers of ENUMs and SETs in their place, if one of the operands is a number that can
// have a fraction, which no member has; nil if they stay as they are.
func memberNumbers(ctx *sql.Context, sides []sql.Expression) []sql.Expression {
	members, fraction := 0, false
	for _, s := range sides {
		t := s.Type(ctx)
		switch t.(type) {
		case sql.EnumType, sql.SetType:
			members++
		}
		fraction = fraction || hasFraction(t)
	}
	if members == 0 || !fraction {
		return nil
	}
	changed := slices.Clone(sides)
	for i, s := range sides {
		switch s.Type(ctx).(type) {
		case sql.EnumType, sql.SetType:
			changed[i] = expression.NewConvert(s, expression.ConvertToSigned)
		}
	}
	return changed
}

// isAnyMember reports whether l is the text of a value of one of sides, as that is shown.
func isAnyMember(ctx *sql.Context, sides []sql.Expression, l *expression.Literal) bool {
	return slices.ContainsFunc(sides, func(s sql.Expression) bool {
		t := s.Type(ctx)
		if _, ok := t.(*sqlvalue.Choice); ok || !isMember(t) {
			return ok // whose values are texts
		}
		v, in, err := t.Convert(ctx, l.Value())
		if err != nil || in != sql.InRange {
			return false
		}
		shown := NewMemberText(ctx, expression.NewLiteral(v, t))
		text, err := shown.Eval(ctx, nil)
		if err != nil {
			return false
		}
		order, err := shown.Type(ctx).Compare(ctx, text, l.Value())
		return err == nil && order == 0
	})
}

// isMember reports whether t is ENUM or SET.
func isMember(t sql.Type) bool {
	k := kindOf(t)
	return k == enumKind || k == setKind
}

// textOfMember returns the text of e, an ENUM or a SET.
func textOfMember(ctx *sql.Context, e sql.Expression) sql.Expression {
	if c, ok := e.Type(ctx).(*sqlvalue.Choice); ok {
		return NewAggregated(e, c.StringType)
	}
	return NewMemberText(ctx, e)
}

// storedTexts returns n, an INSERT with a query or an UPDATE, such that a column gets the text of an
// ENUM, a SET or a time that is stored in it, if it is no such column itself.
//
// go-mysql-server: stores the number of a member, and fails for a time. MySQL: stores the text.
func storedTexts(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	s, ok := e.(*expression.SetField)
	if !ok || !mends.ComparedMembers.On() || !s.RightChild.Resolved() {
		return e, transform.SameTree, nil // DEFAULT has no type yet
	}
	right := storedText(ctx, s.LeftChild.Type(ctx), s.RightChild)
	if right == nil {
		return e, transform.SameTree, nil
	}
	to, err := s.WithChildren(ctx, s.LeftChild, right)
	return to, transform.NewTree, err
}

// storedText returns the text of e for a column of type t; nil if e is stored as it is.
func storedText(ctx *sql.Context, t sql.Type, e sql.Expression) sql.Expression {
	if n, ok := hexliterals.Stored(t, e); ok {
		return n
	}
	from := e.Type(ctx)
	if from == nil || t == nil || from.Equals(t) {
		return nil
	}
	switch {
	case isMember(from) && (types.IsText(t) || isMember(t) || types.IsJSON(t)):
		return textOfMember(ctx, e)
	case (types.IsTime(from) || sqlvalue.IsTimespan(from)) && types.IsText(t):
		return asText{e}
	}
	return nil
}
