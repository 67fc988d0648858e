package results

import (
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/moment"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/vtable"
	"pfsd/tables"
)

// fraction is how many digits of a value are printed behind the point.
func fraction(k *tables.Kind) int {
	switch k.Type {
	case tables.TypeDouble:
		if k.Len == 0 {
			return anyDecimals
		}
		return k.Decimals
	case tables.TypeDate:
		return moment.DateOnly
	}
	return k.Len
}

// appendPlain appends what is no text, with this many digits behind the point; zone is the
// session's.
func appendPlain(to []byte, v tables.Value, digits int, zone *time.Location) []byte {
	switch {
	case v.IsTime():
		return moment.Append(to, v.Time(), digits, zone)
	case v.IsSigned():
		return strconv.AppendInt(to, int64(v.Bits()), 10)
	case v.IsDouble() && digits == anyDecimals:
		return sqlvalue.AppendDouble(to, v.Float())
	case v.IsDouble():
		return strconv.AppendFloat(to, v.Float(), 'f', digits, 64)
	}
	return strconv.AppendUint(to, v.Bits(), 10)
}

// anyDecimals is what a client is told of a fraction that has as many digits as it needs.
const anyDecimals = 31

// FieldsOf is what a client is told of the columns of schema, nil if there are none.
func FieldsOf(ctx *sql.Context, schema sql.Schema) []*querypb.Field {
	results := ctx.GetCharacterSetResults()
	fields := make([]*querypb.Field, len(schema))
	for i, c := range schema {
		flags := querypb.MySqlFlag(0)
		for _, f := range []struct {
			on   bool
			flag querypb.MySqlFlag
		}{
			{!c.Nullable, querypb.MySqlFlag_NOT_NULL_FLAG},
			{c.AutoIncrement, querypb.MySqlFlag_AUTO_INCREMENT_FLAG},
			{c.PrimaryKey, querypb.MySqlFlag_PRI_KEY_FLAG},
			{types.IsUnsigned(c.Type) || types.IsYear(c.Type), querypb.MySqlFlag_UNSIGNED_FLAG},
			{types.IsYear(c.Type), querypb.MySqlFlag_ZEROFILL_FLAG},
		} {
			if f.on {
				flags |= f.flag
			}
		}
		f := &querypb.Field{
			Name: c.Name, OrgName: c.Name, Table: c.Source, OrgTable: c.Source, Database: c.DatabaseSource,
			Type: fieldType(c.Type), Charset: charsetOf(c.Type, results), ColumnLength: c.Type.MaxTextResponseByteLength(ctx), Flags: uint32(flags),
		}
		switch t := c.Type.(type) {
		case *sqlvalue.Double:
			f.Decimals = uint32(t.Decimals())
		case sql.DecimalType:
			f.Decimals = uint32(t.Scale())
		case sql.DatetimeType:
			f.Decimals = uint32(t.Precision())
		case *sqlvalue.Time:
			f.Decimals = uint32(t.Digits())
		case sql.NumberType:
			if t.IsFloat() {
				f.Decimals = anyDecimals
			}
		}
		fields[i] = f
	}
	return fields
}

// fieldType is the type that a client is told of a column of type t.
func fieldType(t sql.Type) querypb.Type {
	if c, ok := t.(*sqlvalue.Choice); ok {
		return c.FieldType()
	}
	return t.Type()
}

// charsetOf is the collation under which values of a type go to a client that wants results in a character
// set: the binary one of bytes, numbers, times and JSON, and that of the characters of all other types.
func charsetOf(t sql.Type, results sql.CharacterSetID) uint32 {
	switch t.Type() {
	case sqltypes.Char, sqltypes.VarChar, sqltypes.Text, sqltypes.Enum, sqltypes.Set:
	default:
		return uint32(sql.Collation_binary)
	}
	own := sql.Collation_Default // of what the SQL engine makes, as system variables; not every client knows its number
	if c, ok := t.(sql.TypeWithCollation); ok {
		own = c.Collation()
	}
	switch {
	case own == sql.Collation_binary:
		return uint32(own)
	case results != sql.CharacterSet_Unspecified:
		return uint32(results.DefaultCollation())
	case own == sql.Collation_Default:
		return uint32(vtable.Collation)
	}
	return uint32(own)
}
