package sysvar

import (
	"math/bits"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/shopspring/decimal"

	"pfsd/engine/mysqlerr"
)

// check returns the value that SET assigns for value, or MySQL's error; old is the current value. A number
// out of range becomes the nearest one in range, with a warning.
func (v *Variable) check(ctx *sql.Context, value, old any) (any, error) {
	value, err := sql.UnwrapAny(ctx, value)
	if err != nil {
		return nil, err
	}
	switch b := value.(type) {
	case []byte:
		value = string(b)
	case bool:
		value = int64(BoolValue(b))
	}
	if refine, ok := setChecks[v.Name]; ok {
		return refine(v, value)
	}
	number, isNumber := integerOf(value)
	text, isText := value.(string)
	if refine, ok := extraChecks[v.Name]; ok && (isText || value == nil || isNumber) {
		return refine(v, value)
	}
	switch v.Kind {
	case Boolean, Enum, Flags, Switches:
		switch {
		case value == nil:
			return nil, mysqlerr.WrongValue(v.Name, "NULL")
		case isText:
			return v.checkText(text, old)
		case isNumber:
			return v.checkIndex(number)
		}
		return nil, mysqlerr.WrongType(v.Name)
	case Signed, Unsigned:
		if !isNumber {
			return nil, mysqlerr.WrongType(v.Name)
		}
		return v.checkInteger(ctx, number)
	case Double:
		switch n := value.(type) {
		case float32:
			return v.checkDouble(ctx, float64(n))
		case float64:
			return v.checkDouble(ctx, n)
		case decimal.Decimal:
			return v.checkDouble(ctx, n.InexactFloat64())
		}
		if !isNumber {
			return nil, mysqlerr.WrongType(v.Name)
		}
		return v.checkDouble(ctx, float64(number.magnitude)*float64(number.sign()))
	}
	switch {
	case value == nil && v.Null:
		return nil, nil
	case value == nil:
		return nil, mysqlerr.WrongValue(v.Name, "NULL")
	case !isText:
		return nil, mysqlerr.WrongType(v.Name)
	}
	return text, nil
}

// checkText parses a text for a variable of kind Enum, Flags or Switches.
func (v *Variable) checkText(text string, old any) (any, error) {
	switch v.Kind {
	case Boolean:
		switch {
		case strings.EqualFold(text, "ON"):
			return int8(1), nil
		case strings.EqualFold(text, "OFF"):
			return int8(0), nil
		}
	case Enum:
		if i := v.member(text); i >= 0 {
			return v.Values[i], nil
		}
	case Flags:
		value, bad, ok := v.set(text)
		if ok {
			return value, nil
		}
		text = bad
	case Switches:
		list, _ := old.(string)
		value, bad, ok := v.switches(list, text)
		if ok {
			return value, nil
		}
		text = bad
	}
	return nil, mysqlerr.WrongValue(v.Name, text)
}

// checkIndex converts a number for such a variable.
func (v *Variable) checkIndex(n integer) (any, error) {
	if !n.negative {
		switch v.Kind {
		case Boolean:
			if n.magnitude < 2 {
				return int8(n.magnitude), nil
			}
		case Enum:
			if n.magnitude < uint64(len(v.Values)) {
				return v.Values[n.magnitude], nil
			}
		case Flags:
			if n.magnitude>>len(v.Values) == 0 && !v.hasUnknownBits(n.magnitude) {
				return v.bits(n.magnitude), nil
			}
		}
	}
	return nil, mysqlerr.WrongValue(v.Name, n.String())
}

// hasUnknownBits reports whether a mask has unknown bits.
func (v *Variable) hasUnknownBits(mask uint64) bool {
	for ; mask != 0; mask &= mask - 1 {
		if strings.HasPrefix(v.Values[bits.TrailingZeros64(mask)], unusedMode) {
			return true
		}
	}
	return false
}

// checkInteger brings an integer into the range.
func (v *Variable) checkInteger(ctx *sql.Context, n integer) (any, error) {
	low := integer{negative: v.Min < 0, magnitude: uint64(v.Min)}
	if v.Min < 0 {
		low.magnitude = -low.magnitude
	}
	limited := n
	switch high := (integer{magnitude: v.Max}); {
	case n.less(low):
		limited = low
	case high.less(n):
		limited = high
	}
	if v.Block > 1 && !limited.negative {
		limited.magnitude -= limited.magnitude % v.Block
		if limited.less(low) {
			limited = low
		}
	}
	if limited != n {
		if err := v.truncated(ctx, n.String()); err != nil {
			return nil, err
		}
	}
	if v.Kind == Signed {
		return limited.signed(), nil
	}
	return limited.magnitude, nil
}

// checkDouble brings a floating-point number into the range.
func (v *Variable) checkDouble(ctx *sql.Context, n float64) (any, error) {
	limited := min(max(n, float64(v.Min)), float64(v.Max))
	if limited != n {
		if err := v.truncated(ctx, strconv.FormatFloat(n, 'g', -1, 64)); err != nil {
			return nil, err
		}
	}
	return limited, nil
}

// truncated warns of a number out of range; with STRICT_ALL_TABLES it is an error.
func (v *Variable) truncated(ctx *sql.Context, given string) error {
	if sql.LoadSqlMode(ctx).ModeEnabled("strict_all_tables") {
		return mysqlerr.WrongValue(v.Name, given)
	}
	ctx.Warn(1292, "Truncated incorrect %s value: '%s'", v.Name, given)
	return nil
}

// extraChecks are checks of variables in addition to kind and range. The value is a text, an
// integer or nil.
var extraChecks = map[string]func(v *Variable, value any) (any, error){
	"time_zone":                func(v *Variable, value any) (any, error) { return checkZone(v, value) },
	"character_set_client":     checkCharset,
	"character_set_connection": checkCharset,
	"character_set_database":   checkCharset,
	"character_set_filesystem": checkCharset,
	"character_set_results":    checkCharset,
	"character_set_server":     checkCharset,
	"collation_connection":     checkCollation,
	"collation_database":       checkCollation,
	"collation_server":         checkCollation,

	"default_storage_engine":     checkEngine,
	"default_tmp_storage_engine": checkEngine,
	"gtid_next":                  checkGTID,
	"lc_messages":                checkLocale,
	"lc_time_names":              checkLocale,
}

// setChecks are checks for SET only: an option may have values that SET may not.
var setChecks = map[string]func(v *Variable, value any) (any, error){
	"general_log_file":    checkLogFile,
	"slow_query_log_file": checkLogFile,
}

// checkLogFile allows only the name of a file in the data directory that ends with .log. An account
// that may set a variable must not be able to write to any file that the process may write to.
func checkLogFile(v *Variable, value any) (any, error) {
	name, ok := value.(string)
	switch {
	case value == nil:
		return nil, mysqlerr.WrongValue(v.Name, "NULL")
	case !ok:
		return nil, mysqlerr.WrongType(v.Name)
	case filepath.Base(name) != name || !strings.HasSuffix(name, ".log") || strings.HasPrefix(name, "."):
		return nil, mysqlerr.WrongValue(v.Name, name)
	}
	return name, nil
}

// The offsets that a time zone can have.
const (
	minOffset = -(13*time.Hour + 59*time.Minute)
	maxOffset = 14 * time.Hour
)

func checkZone(v *Variable, value any) (any, error) {
	name, ok := value.(string)
	if !ok {
		if value == nil {
			return nil, mysqlerr.UnknownZone("NULL")
		}
		return nil, mysqlerr.WrongType(v.Name)
	}
	if strings.EqualFold(name, "SYSTEM") {
		return "SYSTEM", nil
	}
	if offset, err := sql.MySQLOffsetToDuration(name); err == nil {
		if offset < minOffset || offset > maxOffset || name[len(name)-2] > '5' {
			return nil, mysqlerr.UnknownZone(name)
		}
	} else if !sql.ValidTimeZone(name) {
		return nil, mysqlerr.UnknownZone(name)
	}
	return name, nil
}

func checkCharset(v *Variable, value any) (any, error) {
	if value == nil && v.Name == "character_set_results" {
		return nil, nil
	}
	name, ok := value.(string)
	if !ok {
		if n, isNumber := integerOf(value); isNumber {
			return nil, mysqlerr.UnknownCharset(n.String())
		}
		return nil, mysqlerr.WrongValue(v.Name, "NULL")
	}
	set, err := sql.ParseCharacterSet(strings.ToLower(name))
	switch {
	case err != nil || name == "":
		return nil, mysqlerr.UnknownCharset(name)
	case v.Name == "character_set_client" && slices.Contains(wideCharsets, set.Name()):
		return nil, mysqlerr.WrongValue(v.Name, name)
	case set.Encoder() == nil: // go-mysql-server knows only its name
		return nil, mysqlerr.UnknownCharset(name)
	}
	return set.Name(), nil
}

// wideCharsets are the character sets that character_set_client cannot be.
var wideCharsets = []string{"ucs2", "utf16", "utf16le", "utf32"}

func checkCollation(v *Variable, value any) (any, error) {
	name, ok := value.(string)
	if n, isNumber := integerOf(value); isNumber {
		var err error
		if name, err = sql.ConvertCollationID([]byte(n.String())); err != nil {
			return nil, mysqlerr.UnknownCollation(n.String())
		}
		ok = true
	}
	if !ok {
		return nil, mysqlerr.WrongValue(v.Name, "NULL")
	}
	c, err := sql.ParseCollation("", strings.ToLower(name), false)
	if err != nil || name == "" || c.CharacterSet().Encoder() == nil {
		return nil, mysqlerr.UnknownCollation(name)
	}
	return c.Name(), nil
}
