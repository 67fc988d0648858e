package sysvar

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A Variable declares a system variable. Its value is an int8 if it is boolean, an int64, uint64 or
// float64 if it is a number, a string for all other kinds, and nil for NULL. It is immutable once a
// server has it. Safe for concurrent use.
type Variable struct {
	Name    string
	Scope   Scope
	Kind    Kind
	Fixed   bool   // read only while the server runs
	Early   bool   // MySQL sets it before other persisted variables at the start
	hidden  bool   // only go-mysql-server sees it
	Null    bool   // the default is NULL
	Default string // the default, in the form of an option
	Min     int64  // of numbers
	Max     uint64 // of numbers
	Block   uint64 // numbers are multiples of it, 0 for any
	Values  []string
	Doc     string // its effect in this server; "" if none
}

// A Scope says whether a variable has a global value, one in each session, or both.
type Scope uint8

// Scopes of variables.
const (
	GlobalOnly       Scope = iota
	GlobalAndSession       // a session begins with the global value
	SessionOnly
)

// A Kind is the type of a variable's values.
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

// IsGlobal reports whether the variable has a global value.
func (v *Variable) IsGlobal() bool  { return v.Scope != SessionOnly }
func (v *Variable) isSession() bool { return v.Scope != GlobalOnly }

// numeric reports whether the variable has a range.
func (v *Variable) numeric() bool {
	return v.Kind == Signed || v.Kind == Unsigned || v.Kind == Double
}

// initial returns the default.
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

// parse parses a value in the form of an option.
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

// OptionTexts returns the values, by name, that an option with this text sets: the variable's, and those of variables that depend on it. ok is
// false if the variable cannot have the value.
func (v *Variable) OptionTexts(text string) (texts map[string]string, ok bool) {
	value, err := v.parse(text)
	if err == nil {
		value = v.inBlocks(value)
		if refine, ok := extraChecks[v.Name]; ok {
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
	addDependents(v.Name, value, with)
	for name, value := range with {
		texts[name] = v.Text(value)
	}
	return texts, true
}

// inBlocks rounds an integer down to a multiple of the variable's block, but not below Min.
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

// fromGo converts a Go value to the variable's own type.
func (v *Variable) fromGo(value any) any {
	n, ok := integerOf(value)
	switch {
	case ok && v.Kind == Signed:
		return n.signed()
	case ok && v.Kind == Unsigned:
		return n.magnitude
	}
	return value
}

// ParseBoolean parses a boolean in the form of an option.
func ParseBoolean(raw string) (bool, error) {
	switch strings.ToUpper(raw) {
	case "ON", "1", "TRUE", "YES":
		return true, nil
	case "OFF", "0", "FALSE", "NO":
		return false, nil
	}
	return false, fmt.Errorf("value '%s' is neither ON nor OFF", raw)
}

// BoolValue returns the value of a boolean variable.
func BoolValue(on bool) int8 {
	if on {
		return 1
	}
	return 0
}

// member returns the position of a name in Values, -1 if it is not there.
func (v *Variable) member(name string) int {
	return slices.IndexFunc(v.Values, func(s string) bool { return strings.EqualFold(s, name) })
}

// set parses a list of values and sorts it in the order of Values; bad is an unknown value.
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

// bits returns the list of values of a bit mask.
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

// modesOf has the modes that a combination mode stands for.
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

// switches applies a change to a list of switches; bad is an unknown name or value.
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

// Text returns a value as SHOW VARIABLES shows it.
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
