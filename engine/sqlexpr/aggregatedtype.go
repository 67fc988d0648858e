package sqlexpr

import (
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/collations"
	"pfsd/engine/sqlvalue"
)

// AggregatedType returns the type that MySQL gives to values of which each is that of one of these
// expressions: a column of a set operation, or the result of a CASE. It returns nil if the values
// are NULL, or of a type that MySQL does not have. name is that of the operation in errors: 1267 if
// two texts have different collations that the statement states, 1271 if those of two columns
// differ.
//
// go-mysql-server: integers and a DECIMAL make a DECIMAL with 30 digits behind the point, BIGINT
// UNSIGNED is clipped, times with different digits become texts, and texts of two collations have
// the first one. MySQL: finds a kind by pairs, then its digits, its length and its collation.
func AggregatedType(ctx *sql.Context, values []sql.Expression, name string) (sql.Type, error) {
	a := aggregate{}
	for _, e := range values {
		a.add(ctx, e)
	}
	return a.typ(ctx, name)
}

// aggregate collects what the type of several values depends on. Owned by one goroutine.
type aggregate struct {
	kind             fieldKind
	first            sql.Type
	same             bool // all types are equal to the first one
	kinds            []fieldKind
	signs            []bool // whether each is unsigned
	digits, fraction int    // in front of and behind the point of numbers
	seconds          int    // digits behind the point of times
	bits             int
	length           int64 // characters of the longest text
	byteLength       int64 // bytes of the longest text in its own character set
	bytes            int64 // bytes of the longest TEXT or BLOB
	textDomain       textDomain
}

func (a *aggregate) add(ctx *sql.Context, e sql.Expression) {
	if alias, ok := e.(*expression.Alias); ok {
		e = alias.Child
	}
	t := e.Type(ctx)
	k := kindOf(t)
	if k == nullKind {
		return
	}
	class := sqlvalue.NumberClass{}
	if k.number() || k.temporal() {
		class = classOf(ctx, e)
	}
	length := textLength(t, class.Digits, class.Fraction, class.Unsigned)
	if l, ok := e.(*expression.Literal); ok {
		switch v := l.Value().(type) {
		case string:
			k, length = varcharKind, int64(utf8.RuneCountInString(v))
		case []byte:
			k, length = varcharKind, int64(len(v))
		}
		if k.integer() {
			k = bigKind
		}
	}
	if k.integer() && calculated(e) {
		k = bigKind
	}
	if a.first == nil {
		a.first, a.same, a.kind = t, true, k
	} else {
		a.same = a.same && t.Equals(a.first)
		a.kind = mergeKinds(a.kind, k)
	}
	a.kinds, a.signs = append(a.kinds, k), append(a.signs, class.Unsigned && k.integer() || k == yearKind || k == bitKind)
	a.digits, a.fraction = max(a.digits, class.Digits-class.Fraction), max(a.fraction, class.Fraction)
	a.seconds = max(a.seconds, fractionOf(t))
	if types.IsTimespan(t) {
		a.seconds = max(a.seconds, SecondsOf(ctx, e))
	}
	if k == bitKind {
		a.bits = max(a.bits, class.Digits)
	}
	a.length, a.byteLength = max(a.length, length), max(a.byteLength, length*width(t))
	if s, ok := t.(sql.StringType); ok && k == blobKind {
		a.bytes = max(a.bytes, s.MaxByteLength())
	}
	switch {
	case k == jsonKind, k == geometryKind:
		a.bytes = 1<<32 - 1
	}
	a.textDomain.add(ctx, e, t, k)
}

// calculated reports whether e is a function that makes a number, which is a BIGINT whatever go-mysql-server calls it.
func calculated(e sql.Expression) bool {
	switch e := e.(type) {
	case *function.If, *function.IfNull, *function.Coalesce, *function.NullIf, *extreme:
		return false
	case sql.FunctionExpression:
		return e.FunctionName() != "any_value"
	}
	return false
}

// SecondsOf returns how many digits behind the point a TIME of go-mysql-server has, which does not say that of its functions.
func SecondsOf(ctx *sql.Context, e sql.Expression) int {
	values := []sql.Expression(nil)
	switch of := e.(type) {
	case *conditional:
		values = valuesOf(of.Expression)
	case *function.If, *function.IfNull, *function.Coalesce:
		values = valuesOf(e)
	case *aggregation.Max, *aggregation.Min:
		values = e.Children()
	case sql.FunctionExpression:
		switch of.FunctionName() {
		case "least", "greatest":
			values = e.Children()
		case "nullif":
			values = e.Children()[:1]
		default:
			return sqlvalue.MaxMicro
		}
	}
	digits := 0
	for _, v := range values {
		switch t := v.Type(ctx); {
		case types.IsTimespan(t):
			digits = max(digits, SecondsOf(ctx, v))
		default:
			digits = max(digits, fractionOf(t))
		}
	}
	return digits
}

// typ returns the type of the values.
func (a *aggregate) typ(ctx *sql.Context, name string) (sql.Type, error) {
	k := a.kind
	if k.integer() {
		k = a.signedKind()
	}
	switch {
	case len(a.kinds) == 0, k == otherKind:
		return nil, nil
	case k.integer():
		unsigned := 1
		for _, u := range a.signs {
			if !u {
				unsigned = 0
			}
		}
		if a.same && a.first == types.Boolean && k == tinyKind {
			return a.first, nil
		}
		return integerTypes[k][unsigned], nil
	case k == decimalKind:
		return sqlvalue.DecimalType(a.digits+a.fraction, a.fraction), nil
	case k == floatKind, k == doubleKind:
		if a.same {
			return a.first, nil
		}
		if k == floatKind {
			return types.Float32, nil
		}
		return types.Float64, nil
	case k == bitKind:
		return types.MustCreateBitType(uint8(min(max(a.bits, 1), 64))), nil
	case k == timeKind:
		if a.same {
			return a.first, nil
		}
		return sqlvalue.NewTime(a.seconds), nil
	case k == datetimeKind:
		return sqlvalue.DatetimeType(a.seconds), nil
	case k == timestampKind:
		return types.MustCreateDatetimeType(querypb.Type_TIMESTAMP, a.seconds), nil
	case !k.text(), a.same && (k == enumKind || k == setKind):
		return a.first, nil
	}
	return a.text(ctx, k, name)
}

// width returns how many bytes a character of a type can have.
func width(t sql.Type) int64 {
	if s, ok := t.(sql.TypeWithCollation); ok {
		return s.Collation().CharacterSet().MaxLength()
	}
	return 1
}

// signedKind returns the kind of integers that has room for signed and unsigned ones.
func (a *aggregate) signedKind() fieldKind {
	signed, room := false, false
	for i, u := range a.signs {
		signed = signed || !u
		room = room || u && (a.kinds[i] == a.kind || a.kinds[i] == bitKind && a.kind == bigKind)
	}
	if signed && room {
		return widerInteger[a.kind]
	}
	return a.kind
}

// text returns the type of values of which some are texts.
func (a *aggregate) text(ctx *sql.Context, k fieldKind, name string) (sql.Type, error) {
	collation, err := a.textDomain.collation(ctx, name)
	if err != nil {
		return nil, err
	}
	const (
		mostChar  = 255
		mostBytes = 65535
	)
	if collation == sql.Collation_binary {
		a.length = a.byteLength
	}
	bytes := max(a.bytes, a.length*collation.CharacterSet().MaxLength())
	switch {
	case k == charKind && a.length <= mostChar && collation == sql.Collation_binary:
		return types.MustCreateBinary(querypb.Type_BINARY, max(a.length, 1)), nil
	case k == charKind && a.length <= mostChar:
		return types.MustCreateString(querypb.Type_CHAR, max(a.length, 1), collation), nil
	case k != blobKind && bytes < mostBytes && collation == sql.Collation_binary:
		return types.MustCreateBinary(querypb.Type_VARBINARY, max(a.length, 1)), nil
	case k != blobKind && bytes < mostBytes:
		return types.MustCreateString(querypb.Type_VARCHAR, max(a.length, 1), collation), nil
	}
	if a.bytes > 0 && a.same {
		if own, ok := a.first.(sql.StringType); ok && own.Collation() == collation {
			return a.first, nil
		}
	}
	size := 3
	for i, most := range []int64{255, 65535, 1<<24 - 1} {
		if bytes <= most {
			size = i
			break
		}
	}
	if collation == sql.Collation_binary {
		return []sql.Type{types.TinyBlob, types.Blob, types.MediumBlob, types.LongBlob}[size], nil
	}
	return []func(sql.CollationID) sql.StringType{types.CreateTinyText, types.CreateText, types.CreateMediumText, types.CreateLongText}[size](collation), nil
}

// textDomain finds the collation of several texts.
type textDomain struct {
	found    sql.CollationID
	strength byte // as MySQL's coercibility; a lower one wins
	any      bool // there is a text
	mixed    bool // texts of the same strength have two collations
	left     sql.CollationID
	right    sql.CollationID // the two collations that the statement states
}

// add adds the collation of the text e.
func (d *textDomain) add(ctx *sql.Context, e sql.Expression, t sql.Type, k fieldKind) {
	if !k.text() && k != jsonKind && k != geometryKind && k != bitKind {
		return // numbers and times have the collation of any text
	}
	own, strength := collations.CoercibilityOf(ctx, e)
	switch s, ok := t.(sql.TypeWithCollation); {
	case k == geometryKind, k == bitKind:
		own, strength = sql.Collation_binary, collations.ColumnStrength
	case k == jsonKind:
		own, strength = sql.Collation_utf8mb4_bin, collations.ColumnStrength
	case types.IsText(t) && !types.IsTextOnly(t):
		own = sql.Collation_binary
	case collations.IsDefault(t):
		if c, ok := collations.Of(ctx, e); ok {
			own = c
		}
		if strength < collations.LiteralStrength && strength > collations.ExplicitStrength {
			if _, column := e.(*expression.GetField); !column {
				strength = 3 // what go-mysql-server tells of its functions is not exact
			}
		}
	case ok:
		own = s.Collation()
	}
	strength = min(strength, collations.LiteralStrength)
	if !d.any {
		d.found, d.strength, d.any = own, strength, true
		return
	}
	d.merge(own, strength)
}

// merge adds a collation as MySQL does.
func (d *textDomain) merge(own sql.CollationID, strength byte) {
	found, with, mixed := collations.Resolve(d.found, d.strength, own, strength)
	switch {
	case mixed:
		d.mixed = true
		if strength == collations.ExplicitStrength {
			d.left, d.right = d.found, own
		}
	case found != d.found || with < d.strength:
		d.found, d.strength, d.mixed = found, with, false
	}
}

// collation returns the collation of all texts.
func (d *textDomain) collation(ctx *sql.Context, name string) (sql.CollationID, error) {
	switch {
	case d.mixed && d.strength == collations.ExplicitStrength:
		return 0, mysql.NewSQLError(1267, "HY000", "Illegal mix of collations (%s,EXPLICIT) and (%s,EXPLICIT) for operation '%s'", d.left.Name(), d.right.Name(), name)
	case d.mixed:
		return 0, mysql.NewSQLError(1271, "HY000", "Illegal mix of collations for operation '%s'", name)
	case !d.any || d.found == sql.Collation_Default || d.found == sql.Collation_Unspecified:
		return collations.OfConnection(ctx), nil
	}
	return d.found, nil
}
