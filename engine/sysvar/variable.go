package sysvar

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"pfsd/engine/compat"
	"pfsd/engine/mysqlerr"
)

// A Variable declares a system variable. Its value is an int8 where it is boolean, an int64,
// uint64 or float64 where it is a number, a string of any other, and nil for NULL. It does not
// change once a server has it. Safe for concurrent use.
type Variable struct {
	Name    string
	Scope   Scope
	Kind    Kind
	Fixed   bool   // nothing sets it while the server runs
	Early   bool   // MySQL sets it before all others at the start
	hidden  bool   // nobody but the SQL engine knows of it
	Null    bool   // the default is NULL
	Default string // the default, as an option has it
	Min     int64  // of numbers
	Max     uint64 // of numbers
	Block   uint64 // numbers are multiples of it, 0 for any
	Values  []string
	Doc     string // what it has an effect on here; "" if nothing
	// live is its value in a session that has not set it, where that is worked out when it is asked for.
	live    func(ctx *sql.Context) any
	sqlType sql.Type
}

// A Scope says whether a variable has a global value, one in each session, or both.
type Scope uint8

// Scopes of variables.
const (
	GlobalOnly       Scope = iota
	GlobalAndSession       // a session begins with the global value
	SessionOnly
)

// A Kind is what the values of a variable are.
type Kind uint8

// Kinds of variables.
const (
	Boolean Kind = iota // int8
	Signed
	Unsigned
	Double
	Text
	Enum     // one of Values
	Flags    // a list of some of Values
	Switches // a list of NAME=on and NAME=off; the default has all names
)

// IsGlobal tells whether the variable has a global value.
func (v *Variable) IsGlobal() bool  { return v.Scope != SessionOnly }
func (v *Variable) isSession() bool { return v.Scope != GlobalOnly }

// numeric tells whether the variable has a range.
func (v *Variable) numeric() bool {
	return v.Kind == Signed || v.Kind == Unsigned || v.Kind == Double
}

// initial is the default.
func (v *Variable) initial() any {
	if v.Null {
		return nil
	}
	value, err := v.parse(v.Default)
	if err != nil {
		panic("sysvar: bad default of variable " + v.Name + ": " + err.Error())
	}
	return value
}

// parse reads a value as an option has it.
func (v *Variable) parse(text string) (any, error) {
	bad := fmt.Errorf("value '%s' is not one of the variable %s", text, v.Name)
	switch v.Kind {
	case Boolean:
		on, err := ParseBoolean(text)
		if err != nil {
			return nil, err
		}
		return BoolValue(on), nil
	case Signed:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, bad
		}
		return n, nil
	case Unsigned:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, bad
		}
		return n, nil
	case Double:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, bad
		}
		return n, nil
	case Enum:
		if i := v.member(text); i >= 0 {
			return v.Values[i], nil
		}
		if i, err := strconv.ParseUint(text, 10, 64); err == nil && i < uint64(len(v.Values)) {
			return v.Values[i], nil
		}
		return nil, bad
	case Flags:
		value, _, ok := v.set(text)
		if !ok {
			return nil, bad
		}
		return value, nil
	case Switches:
		value, _, ok := v.switches(v.Default, text)
		if !ok {
			return nil, bad
		}
		return value, nil
	}
	return text, nil
}

// Given are the texts, by name, of what an option's value gives the variable and those that go with it; ok is false if it is none of
// the variable's values.
func (v *Variable) Given(text string) (texts map[string]string, ok bool) {
	value, err := v.parse(text)
	if err == nil {
		value = v.inBlocks(value)
		if refine, ok := refinements[v.Name]; ok {
			value, err = refine(v, value)
		}
	}
	if err != nil {
		return nil, false
	}
	texts = map[string]string{v.Name: v.Text(value)}
	if v.Kind == Double {
		texts[v.Name] = text
	}
	with := map[string]any{}
	alongside(v.Name, value, with)
	for name, value := range with {
		texts[name] = v.Text(value)
	}
	return texts, true
}

// inBlocks brings a whole number down to a multiple of the variable's block, but not below the least value.
func (v *Variable) inBlocks(value any) any {
	switch n := value.(type) {
	case uint64:
		if v.Block > 1 {
			return max(n-n%v.Block, uint64(v.Min))
		}
	case int64:
		if v.Block > 1 && n > 0 {
			return max(n-n%int64(v.Block), v.Min)
		}
	}
	return value
}

// plain is a value that a program has for the variable, any whole number in the variable's own type.
func (v *Variable) plain(value any) any {
	n, ok := wholeOf(value)
	switch {
	case ok && v.Kind == Signed:
		return n.signed()
	case ok && v.Kind == Unsigned:
		return n.magnitude
	}
	return value
}

// ParseBoolean reads a switch as an option has it.
func ParseBoolean(raw string) (bool, error) {
	switch strings.ToUpper(raw) {
	case "ON", "1", "TRUE", "YES":
		return true, nil
	case "OFF", "0", "FALSE", "NO":
		return false, nil
	}
	return false, fmt.Errorf("value '%s' is neither ON nor OFF", raw)
}

// BoolValue is the value of a boolean variable.
func BoolValue(on bool) int8 {
	if on {
		return 1
	}
	return 0
}

// member is the place of a name among the values; -1 if it is none.
func (v *Variable) member(name string) int {
	return slices.IndexFunc(v.Values, func(s string) bool { return strings.EqualFold(s, name) })
}

// set reads a list of values, and brings it into their order; bad is what is none.
func (v *Variable) set(text string) (value, bad string, ok bool) {
	var mask uint64
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		i := v.member(name)
		if i < 0 || strings.HasPrefix(v.Values[i], unusedMode) {
			return "", name, false
		}
		mask |= 1 << i
	}
	return v.bits(mask), "", true
}

// bits is the list of values that a mask says.
func (v *Variable) bits(mask uint64) string {
	if v.Name == sqlMode {
		mask = expandMode(v, mask)
	}
	var names []string
	for ; mask != 0; mask &= mask - 1 {
		names = append(names, v.Values[bits.TrailingZeros64(mask)])
	}
	return strings.Join(names, ",")
}

const (
	sqlMode    = "sql_mode"
	unusedMode = "NOT_USED"
)

// modesOf are the modes that others stand for.
var modesOf = map[string][]string{
	"ANSI":        {"REAL_AS_FLOAT", "PIPES_AS_CONCAT", "ANSI_QUOTES", "IGNORE_SPACE", "ONLY_FULL_GROUP_BY"},
	"TRADITIONAL": {"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE", "ERROR_FOR_DIVISION_BY_ZERO", "NO_ENGINE_SUBSTITUTION"},
}

// expandMode adds the modes that ANSI and TRADITIONAL stand for.
func expandMode(v *Variable, mask uint64) uint64 {
	for name, modes := range modesOf {
		if mask&(1<<v.member(name)) != 0 {
			for _, m := range modes {
				mask |= 1 << v.member(m)
			}
		}
	}
	return mask
}

// switches changes some of a list of switches; bad is what is none.
func (v *Variable) switches(list, change string) (value, bad string, ok bool) {
	all := strings.Split(list, ",")
	defaults := strings.Split(v.Default, ",")
	for part := range strings.SplitSeq(change, ",") {
		if part == "" {
			continue
		}
		if strings.EqualFold(part, "default") {
			all = slices.Clone(defaults)
			continue
		}
		name, state, _ := strings.Cut(part, "=")
		name, state = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(state))
		i := slices.IndexFunc(all, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		switch {
		case i < 0 || name == "":
			return "", part, false
		case state == "default":
			all[i] = defaults[i]
		case state == "on" || state == "off":
			all[i] = name + "=" + state
		default:
			return "", part, false
		}
	}
	return strings.Join(all, ","), "", true
}

// Text is a value as SHOW VARIABLES shows it.
func (v *Variable) Text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case int8:
		if value == 0 {
			return "OFF"
		}
		return "ON"
	case float64:
		return strconv.FormatFloat(value, 'f', 6, 64)
	}
	return fmt.Sprint(value)
}

// check returns what SET makes of value, or MySQL's error; old is what the variable has.
// A number that is out of range becomes the nearest, with a warning.
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
	number, isNumber := wholeOf(value)
	text, isText := value.(string)
	if refine, ok := refinements[v.Name]; ok && (isText || value == nil || isNumber) {
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
		return v.checkWhole(ctx, number)
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

// checkText reads the text that a variable with names for its values is set to.
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

// checkIndex reads the number that such a variable is set to.
func (v *Variable) checkIndex(n whole) (any, error) {
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
			if n.magnitude>>len(v.Values) == 0 && !v.unused(n.magnitude) {
				return v.bits(n.magnitude), nil
			}
		}
	}
	return nil, mysqlerr.WrongValue(v.Name, n.String())
}

// unused tells whether a mask has bits that mean nothing.
func (v *Variable) unused(mask uint64) bool {
	for ; mask != 0; mask &= mask - 1 {
		if strings.HasPrefix(v.Values[bits.TrailingZeros64(mask)], unusedMode) {
			return true
		}
	}
	return false
}

// checkWhole brings a whole number into the range.
func (v *Variable) checkWhole(ctx *sql.Context, n whole) (any, error) {
	low := whole{negative: v.Min < 0, magnitude: uint64(v.Min)}
	if v.Min < 0 {
		low.magnitude = -low.magnitude
	}
	limited := n
	switch high := (whole{magnitude: v.Max}); {
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

// checkDouble brings a number into the range.
func (v *Variable) checkDouble(ctx *sql.Context, n float64) (any, error) {
	limited := min(max(n, float64(v.Min)), float64(v.Max))
	if limited != n {
		if err := v.truncated(ctx, strconv.FormatFloat(n, 'g', -1, 64)); err != nil {
			return nil, err
		}
	}
	return limited, nil
}

// truncated warns of a number out of range; where STRICT_ALL_TABLES is set, it is an error.
func (v *Variable) truncated(ctx *sql.Context, given string) error {
	if sql.LoadSqlMode(ctx).ModeEnabled("strict_all_tables") {
		return mysqlerr.WrongValue(v.Name, given)
	}
	ctx.Warn(1292, "Truncated incorrect %s value: '%s'", v.Name, given)
	return nil
}

// whole is any number that an integer of SQL can be.
type whole struct {
	negative  bool
	magnitude uint64
}

// wholeOf is a value as a whole number, false if it is none.
func wholeOf(value any) (n whole, ok bool) {
	switch i := value.(type) {
	case uint64:
		return whole{magnitude: i}, true
	case uint:
		return whole{magnitude: uint64(i)}, true
	case uint32:
		return whole{magnitude: uint64(i)}, true
	case uint16:
		return whole{magnitude: uint64(i)}, true
	case uint8:
		return whole{magnitude: uint64(i)}, true
	}
	var i int64
	switch v := value.(type) {
	case int64:
		i = v
	case int:
		i = int64(v)
	case int32:
		i = int64(v)
	case int16:
		i = int64(v)
	case int8:
		i = int64(v)
	default:
		return n, false
	}
	if i < 0 {
		return whole{true, -uint64(i)}, true
	}
	return whole{magnitude: uint64(i)}, true
}

func (n whole) sign() int {
	if n.negative {
		return -1
	}
	return 1
}

func (n whole) less(than whole) bool {
	if n.negative != than.negative {
		return n.negative
	}
	if n.negative {
		return n.magnitude > than.magnitude
	}
	return n.magnitude < than.magnitude
}

func (n whole) signed() int64 {
	if n.negative {
		return -int64(n.magnitude)
	}
	return int64(n.magnitude)
}

// String is the number in decimal.
func (n whole) String() string {
	s := strconv.FormatUint(n.magnitude, 10)
	if n.negative {
		return "-" + s
	}
	return s
}

// GetName implements sql.SystemVariable.
func (v *Variable) GetName() string { return v.Name }

// GetType implements sql.SystemVariable.
func (v *Variable) GetType() sql.Type { return v.sqlType }

// newType makes the type of its values.
func (v *Variable) newType() sql.Type {
	switch v.Kind {
	case Boolean:
		return types.NewSystemBoolType(v.Name)
	case Signed:
		return types.NewSystemIntType(v.Name, math.MinInt64, math.MaxInt64, false)
	case Unsigned:
		return types.NewSystemUintType(v.Name, 0, math.MaxUint64)
	case Double:
		return types.NewSystemDoubleType(v.Name, -math.MaxFloat64, math.MaxFloat64)
	}
	return compat.TextVariable(v.Name)
}

// GetSessionScope implements sql.SystemVariable.
func (v *Variable) GetSessionScope() sql.SystemVariableScope {
	return sessionScope{sql.GetMysqlScope(sql.SystemVariableScope_Session), v}
}

// SetDefault implements sql.SystemVariable.
func (v *Variable) SetDefault(any) {}

// GetDefault implements sql.SystemVariable.
func (v *Variable) GetDefault() any { return v.initial() }

// InitValue implements sql.SystemVariable.
func (v *Variable) InitValue(ctx *sql.Context, value any, global bool) (sql.SystemVarValue, error) {
	ownValues(ctx, global)
	return sql.SystemVarValue{Var: v, Val: value}, nil
}

// SetValue implements sql.SystemVariable.
func (v *Variable) SetValue(ctx *sql.Context, value any, global bool) (sql.SystemVarValue, error) {
	ownValues(ctx, global)
	checked, err := v.check(ctx, value, v.initial())
	return sql.SystemVarValue{Var: v, Val: checked}, err
}

// ownValues keeps the SQL engine, which is about to write to the values of the session of ctx, from writing to those of others.
func ownValues(ctx *sql.Context, global bool) {
	if s := sessionOf(ctx); !global && (s == nil || !s.setting) {
		compat.OwnSessionValues(ctx.Session)
	}
}

// currentStatement is what variables need to know of the statement that runs. The ProcessList of its context implements it.
type currentStatement interface {
	// Variables are those of the session, nil if it is no client's.
	Variables() *Session
	// Raised counts the errors, and all conditions, that the statement before it has raised.
	Raised() (errors, all uint64)
}

// sessionOf are the variables of the session of ctx, nil if it is no client's.
func sessionOf(ctx *sql.Context) *Session {
	if s, ok := ctx.ProcessList.(currentStatement); ok {
		return s.Variables()
	}
	return nil
}

// raised is Raised of the statement that runs.
func raised(ctx *sql.Context) (errors, all uint64) {
	if s, ok := ctx.ProcessList.(currentStatement); ok {
		return s.Raised()
	}
	return 0, 0
}

// IsReadOnly implements sql.SystemVariable.
func (v *Variable) IsReadOnly() bool { return v.Fixed }

// IsGlobalOnly implements sql.SystemVariable.
func (v *Variable) IsGlobalOnly() bool { return v.Scope == GlobalOnly }

// DisplayString implements sql.SystemVariable.
func (v *Variable) DisplayString(scope string) string {
	if scope == "" {
		return "@@" + v.Name
	}
	return "@@" + scope + "." + v.Name
}

// sessionScope is the scope of a session, in which global variables can be read, too.
type sessionScope struct {
	*sql.MysqlScope
	v *Variable
}

// GetValue implements sql.SystemVariableScope.
func (s sessionScope) GetValue(ctx *sql.Context, name string, collation sql.CollationID) (any, error) {
	if s.v.Scope == GlobalOnly {
		return sql.GetMysqlScope(sql.SystemVariableScope_Global).GetValue(ctx, name, collation)
	}
	value, err := s.MysqlScope.GetValue(ctx, name, collation)
	if s.v.live != nil && err == nil && value == s.v.initial() {
		return s.v.live(ctx), nil
	}
	return value, err
}

// liveVariables work out what a session has not set.
var liveVariables = map[string]func(*sql.Context) any{
	"timestamp":        func(*sql.Context) any { return float64(time.Now().UnixMicro()) / 1e6 },
	"pseudo_thread_id": func(ctx *sql.Context) any { return uint64(ctx.Session.ID()) },
	"last_insert_id":   func(ctx *sql.Context) any { return ctx.GetLastQueryInfo().LastInsertId.Load() },
	"identity":         func(ctx *sql.Context) any { return ctx.GetLastQueryInfo().LastInsertId.Load() },
	"warning_count":    func(ctx *sql.Context) any { _, all := raised(ctx); return all },
	"error_count":      func(ctx *sql.Context) any { errors, _ := raised(ctx); return errors },
}

// refinements are of variables of which not every value of their kind is one. They get a text,
// a whole number or nil.
var refinements = map[string]func(v *Variable, value any) (any, error){
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
		if n, isNumber := wholeOf(value); isNumber {
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
	case set.Encoder() == nil: // the SQL engine knows its name alone
		return nil, mysqlerr.UnknownCharset(name)
	}
	return set.Name(), nil
}

// wideCharsets are those that a client cannot write statements in.
var wideCharsets = []string{"ucs2", "utf16", "utf16le", "utf32"}

func checkCollation(v *Variable, value any) (any, error) {
	name, ok := value.(string)
	if n, isNumber := wholeOf(value); isNumber {
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

var _ sql.SystemVariable = (*Variable)(nil)
