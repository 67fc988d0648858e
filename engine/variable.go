package engine

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

// A variable declares a system variable. Its value is an int8 where it is boolean, an int64,
// uint64 or float64 where it is a number, a string of any other, and nil for NULL. It does not
// change once a server has it. Safe for concurrent use.
type variable struct {
	name   string
	scope  variableScope
	kind   variableKind
	fixed  bool   // nothing sets it while the server runs
	early  bool   // MySQL sets it before all others at the start
	hidden bool   // nobody but the SQL engine knows of it
	null   bool   // the default is NULL
	def    string // the default, as an option has it
	min    int64  // of numbers
	max    uint64 // of numbers
	block  uint64 // numbers are multiples of it, 0 for any
	values []string
	doc    string // what it has an effect on here; "" if nothing
	// live is its value in a session that has not set it, where that is worked out when it is asked for.
	live    func(ctx *sql.Context) any
	sqlType sql.Type
}

type variableScope uint8

const (
	globalOnly       variableScope = iota
	globalAndSession               // a session begins with the global value
	sessionOnly
)

type variableKind uint8

const (
	booleanVariable variableKind = iota
	signedVariable
	unsignedVariable
	doubleVariable
	textVariable
	enumVariable   // one of values
	setVariable    // a list of some of values
	switchVariable // a list of NAME=on and NAME=off; the default has all names
)

func (v *variable) isGlobal() bool  { return v.scope != sessionOnly }
func (v *variable) isSession() bool { return v.scope != globalOnly }

// numeric tells whether the variable has a range.
func (v *variable) numeric() bool {
	return v.kind == signedVariable || v.kind == unsignedVariable || v.kind == doubleVariable
}

// initial is the default.
func (v *variable) initial() any {
	if v.null {
		return nil
	}
	value, err := v.parse(v.def)
	if err != nil {
		panic("engine: bad default of variable " + v.name + ": " + err.Error())
	}
	return value
}

// parse reads a value as an option has it.
func (v *variable) parse(text string) (any, error) {
	bad := fmt.Errorf("value '%s' is not one of the variable %s", text, v.name)
	switch v.kind {
	case booleanVariable:
		on, err := parseBoolean(text)
		if err != nil {
			return nil, err
		}
		return boolValue(on), nil
	case signedVariable:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, bad
		}
		return n, nil
	case unsignedVariable:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, bad
		}
		return n, nil
	case doubleVariable:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, bad
		}
		return n, nil
	case enumVariable:
		if i := v.member(text); i >= 0 {
			return v.values[i], nil
		}
		if i, err := strconv.ParseUint(text, 10, 64); err == nil && i < uint64(len(v.values)) {
			return v.values[i], nil
		}
		return nil, bad
	case setVariable:
		value, _, ok := v.set(text)
		if !ok {
			return nil, bad
		}
		return value, nil
	case switchVariable:
		value, _, ok := v.switches(v.def, text)
		if !ok {
			return nil, bad
		}
		return value, nil
	}
	return text, nil
}

// given are the texts, by name, of what an option's value gives the variable and those that go with it; ok is false if it is none of
// the variable's values.
func (v *variable) given(text string) (texts map[string]string, ok bool) {
	value, err := v.parse(text)
	if err == nil {
		value = v.inBlocks(value)
		if refine, ok := refinements[v.name]; ok {
			value, err = refine(v, value)
		}
	}
	if err != nil {
		return nil, false
	}
	texts = map[string]string{v.name: v.text(value)}
	if v.kind == doubleVariable {
		texts[v.name] = text
	}
	with := map[string]any{}
	alongside(v.name, value, with)
	for name, value := range with {
		texts[name] = v.text(value)
	}
	return texts, true
}

// inBlocks brings a whole number down to a multiple of the variable's block, but not below the least value.
func (v *variable) inBlocks(value any) any {
	switch n := value.(type) {
	case uint64:
		if v.block > 1 {
			return max(n-n%v.block, uint64(v.min))
		}
	case int64:
		if v.block > 1 && n > 0 {
			return max(n-n%int64(v.block), v.min)
		}
	}
	return value
}

// plain is a value that a program has for the variable, any whole number in the variable's own type.
func (v *variable) plain(value any) any {
	n, ok := wholeOf(value)
	switch {
	case ok && v.kind == signedVariable:
		return n.signed()
	case ok && v.kind == unsignedVariable:
		return n.magnitude
	}
	return value
}

// parseBoolean reads a switch as an option has it.
func parseBoolean(raw string) (bool, error) {
	switch strings.ToUpper(raw) {
	case "ON", "1", "TRUE", "YES":
		return true, nil
	case "OFF", "0", "FALSE", "NO":
		return false, nil
	}
	return false, fmt.Errorf("value '%s' is neither ON nor OFF", raw)
}

func boolValue(on bool) int8 {
	if on {
		return 1
	}
	return 0
}

// member is the place of a name among the values; -1 if it is none.
func (v *variable) member(name string) int {
	return slices.IndexFunc(v.values, func(s string) bool { return strings.EqualFold(s, name) })
}

// set reads a list of values, and brings it into their order; bad is what is none.
func (v *variable) set(text string) (value, bad string, ok bool) {
	var mask uint64
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		i := v.member(name)
		if i < 0 || strings.HasPrefix(v.values[i], unusedMode) {
			return "", name, false
		}
		mask |= 1 << i
	}
	return v.bits(mask), "", true
}

// bits is the list of values that a mask says.
func (v *variable) bits(mask uint64) string {
	if v.name == sqlMode {
		mask = expandMode(v, mask)
	}
	var names []string
	for ; mask != 0; mask &= mask - 1 {
		names = append(names, v.values[bits.TrailingZeros64(mask)])
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
func expandMode(v *variable, mask uint64) uint64 {
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
func (v *variable) switches(list, change string) (value, bad string, ok bool) {
	all := strings.Split(list, ",")
	defaults := strings.Split(v.def, ",")
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

// text is a value as SHOW VARIABLES shows it.
func (v *variable) text(value any) string {
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
func (v *variable) check(ctx *sql.Context, value, old any) (any, error) {
	value, err := sql.UnwrapAny(ctx, value)
	if err != nil {
		return nil, err
	}
	switch b := value.(type) {
	case []byte:
		value = string(b)
	case bool:
		value = int64(boolValue(b))
	}
	number, isNumber := wholeOf(value)
	text, isText := value.(string)
	if refine, ok := refinements[v.name]; ok && (isText || value == nil || isNumber) {
		return refine(v, value)
	}
	switch v.kind {
	case booleanVariable, enumVariable, setVariable, switchVariable:
		switch {
		case value == nil:
			return nil, mysqlerr.WrongValue(v.name, "NULL")
		case isText:
			return v.checkText(text, old)
		case isNumber:
			return v.checkIndex(number)
		}
		return nil, mysqlerr.WrongType(v.name)
	case signedVariable, unsignedVariable:
		if !isNumber {
			return nil, mysqlerr.WrongType(v.name)
		}
		return v.checkWhole(ctx, number)
	case doubleVariable:
		switch n := value.(type) {
		case float32:
			return v.checkDouble(ctx, float64(n))
		case float64:
			return v.checkDouble(ctx, n)
		case decimal.Decimal:
			return v.checkDouble(ctx, n.InexactFloat64())
		}
		if !isNumber {
			return nil, mysqlerr.WrongType(v.name)
		}
		return v.checkDouble(ctx, float64(number.magnitude)*float64(number.sign()))
	}
	switch {
	case value == nil && v.null:
		return nil, nil
	case value == nil:
		return nil, mysqlerr.WrongValue(v.name, "NULL")
	case !isText:
		return nil, mysqlerr.WrongType(v.name)
	}
	return text, nil
}

// checkText reads the text that a variable with names for its values is set to.
func (v *variable) checkText(text string, old any) (any, error) {
	switch v.kind {
	case booleanVariable:
		switch {
		case strings.EqualFold(text, "ON"):
			return int8(1), nil
		case strings.EqualFold(text, "OFF"):
			return int8(0), nil
		}
	case enumVariable:
		if i := v.member(text); i >= 0 {
			return v.values[i], nil
		}
	case setVariable:
		value, bad, ok := v.set(text)
		if ok {
			return value, nil
		}
		text = bad
	case switchVariable:
		list, _ := old.(string)
		value, bad, ok := v.switches(list, text)
		if ok {
			return value, nil
		}
		text = bad
	}
	return nil, mysqlerr.WrongValue(v.name, text)
}

// checkIndex reads the number that such a variable is set to.
func (v *variable) checkIndex(n whole) (any, error) {
	if !n.negative {
		switch v.kind {
		case booleanVariable:
			if n.magnitude < 2 {
				return int8(n.magnitude), nil
			}
		case enumVariable:
			if n.magnitude < uint64(len(v.values)) {
				return v.values[n.magnitude], nil
			}
		case setVariable:
			if n.magnitude>>len(v.values) == 0 && !v.unused(n.magnitude) {
				return v.bits(n.magnitude), nil
			}
		}
	}
	return nil, mysqlerr.WrongValue(v.name, n.String())
}

// unused tells whether a mask has bits that mean nothing.
func (v *variable) unused(mask uint64) bool {
	for ; mask != 0; mask &= mask - 1 {
		if strings.HasPrefix(v.values[bits.TrailingZeros64(mask)], unusedMode) {
			return true
		}
	}
	return false
}

// checkWhole brings a whole number into the range.
func (v *variable) checkWhole(ctx *sql.Context, n whole) (any, error) {
	low := whole{negative: v.min < 0, magnitude: uint64(v.min)}
	if v.min < 0 {
		low.magnitude = -low.magnitude
	}
	limited := n
	switch high := (whole{magnitude: v.max}); {
	case n.less(low):
		limited = low
	case high.less(n):
		limited = high
	}
	if v.block > 1 && !limited.negative {
		limited.magnitude -= limited.magnitude % v.block
		if limited.less(low) {
			limited = low
		}
	}
	if limited != n {
		if err := v.truncated(ctx, n.String()); err != nil {
			return nil, err
		}
	}
	if v.kind == signedVariable {
		return limited.signed(), nil
	}
	return limited.magnitude, nil
}

// checkDouble brings a number into the range.
func (v *variable) checkDouble(ctx *sql.Context, n float64) (any, error) {
	limited := min(max(n, float64(v.min)), float64(v.max))
	if limited != n {
		if err := v.truncated(ctx, strconv.FormatFloat(n, 'g', -1, 64)); err != nil {
			return nil, err
		}
	}
	return limited, nil
}

// truncated warns of a number out of range; where STRICT_ALL_TABLES is set, it is an error.
func (v *variable) truncated(ctx *sql.Context, given string) error {
	if sql.LoadSqlMode(ctx).ModeEnabled("strict_all_tables") {
		return mysqlerr.WrongValue(v.name, given)
	}
	ctx.Warn(1292, "Truncated incorrect %s value: '%s'", v.name, given)
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
func (v *variable) GetName() string { return v.name }

// GetType implements sql.SystemVariable.
func (v *variable) GetType() sql.Type { return v.sqlType }

// newType makes the type of its values.
func (v *variable) newType() sql.Type {
	switch v.kind {
	case booleanVariable:
		return types.NewSystemBoolType(v.name)
	case signedVariable:
		return types.NewSystemIntType(v.name, math.MinInt64, math.MaxInt64, false)
	case unsignedVariable:
		return types.NewSystemUintType(v.name, 0, math.MaxUint64)
	case doubleVariable:
		return types.NewSystemDoubleType(v.name, -math.MaxFloat64, math.MaxFloat64)
	}
	return compat.TextVariable(v.name)
}

// GetSessionScope implements sql.SystemVariable.
func (v *variable) GetSessionScope() sql.SystemVariableScope {
	return variableOfSession{sql.GetMysqlScope(sql.SystemVariableScope_Session), v}
}

// SetDefault implements sql.SystemVariable.
func (v *variable) SetDefault(any) {}

// GetDefault implements sql.SystemVariable.
func (v *variable) GetDefault() any { return v.initial() }

// InitValue implements sql.SystemVariable.
func (v *variable) InitValue(ctx *sql.Context, value any, global bool) (sql.SystemVarValue, error) {
	ownValues(ctx, global)
	return sql.SystemVarValue{Var: v, Val: value}, nil
}

// SetValue implements sql.SystemVariable.
func (v *variable) SetValue(ctx *sql.Context, value any, global bool) (sql.SystemVarValue, error) {
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
	Variables() *sessionVariables
	// Raised counts the errors, and all conditions, that the statement before it has raised.
	Raised() (errors, all uint64)
}

// sessionOf are the variables of the session of ctx, nil if it is no client's.
func sessionOf(ctx *sql.Context) *sessionVariables {
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
func (v *variable) IsReadOnly() bool { return v.fixed }

// IsGlobalOnly implements sql.SystemVariable.
func (v *variable) IsGlobalOnly() bool { return v.scope == globalOnly }

// DisplayString implements sql.SystemVariable.
func (v *variable) DisplayString(scope string) string {
	if scope == "" {
		return "@@" + v.name
	}
	return "@@" + scope + "." + v.name
}

// variableOfSession is the scope of a session, in which global variables can be read, too.
type variableOfSession struct {
	*sql.MysqlScope
	v *variable
}

// GetValue implements sql.SystemVariableScope.
func (s variableOfSession) GetValue(ctx *sql.Context, name string, collation sql.CollationID) (any, error) {
	if s.v.scope == globalOnly {
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
var refinements = map[string]func(v *variable, value any) (any, error){
	"time_zone":                func(v *variable, value any) (any, error) { return checkZone(v, value) },
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

func checkZone(v *variable, value any) (any, error) {
	name, ok := value.(string)
	if !ok {
		if value == nil {
			return nil, mysqlerr.UnknownZone("NULL")
		}
		return nil, mysqlerr.WrongType(v.name)
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

func checkCharset(v *variable, value any) (any, error) {
	if value == nil && v.name == "character_set_results" {
		return nil, nil
	}
	name, ok := value.(string)
	if !ok {
		if n, isNumber := wholeOf(value); isNumber {
			return nil, mysqlerr.UnknownCharset(n.String())
		}
		return nil, mysqlerr.WrongValue(v.name, "NULL")
	}
	set, err := sql.ParseCharacterSet(strings.ToLower(name))
	switch {
	case err != nil || name == "":
		return nil, mysqlerr.UnknownCharset(name)
	case v.name == "character_set_client" && slices.Contains(wideCharsets, set.Name()):
		return nil, mysqlerr.WrongValue(v.name, name)
	case set.Encoder() == nil: // the SQL engine knows its name alone
		return nil, mysqlerr.UnknownCharset(name)
	}
	return set.Name(), nil
}

// wideCharsets are those that a client cannot write statements in.
var wideCharsets = []string{"ucs2", "utf16", "utf16le", "utf32"}

func checkCollation(v *variable, value any) (any, error) {
	name, ok := value.(string)
	if n, isNumber := wholeOf(value); isNumber {
		var err error
		if name, err = sql.ConvertCollationID([]byte(n.String())); err != nil {
			return nil, mysqlerr.UnknownCollation(n.String())
		}
		ok = true
	}
	if !ok {
		return nil, mysqlerr.WrongValue(v.name, "NULL")
	}
	c, err := sql.ParseCollation("", strings.ToLower(name), false)
	if err != nil || name == "" || c.CharacterSet().Encoder() == nil {
		return nil, mysqlerr.UnknownCollation(name)
	}
	return c.Name(), nil
}

var _ sql.SystemVariable = (*variable)(nil)
