package config

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"pfsd/engine/sysvar"
)

// variableOptions has an option for each system variable that an option can set and that has no
// option of its own. As in MySQL, the option sets the global value.
var variableOptions = newVariableOptions()

// noOptions are read-only variables that no option sets.
var noOptions = []string{
	"build_id", "character_set_system", "gtid_executed", "gtid_owned", "hostname", "large_files_support", "large_page_size", "license",
	"locked_in_memory", "log_bin_basename", "log_bin_index", "lower_case_file_system", "lower_case_table_names", "protocol_version",
	"server_uuid", "system_time_zone",
}

func newVariableOptions() (opts []option) {
	for _, v := range sysvar.All() {
		if !v.IsGlobal() || slices.Contains(noOptions, v.Name) || strings.HasPrefix(v.Name, "version") || strings.HasPrefix(v.Name, "have_") ||
			slices.ContainsFunc(options, func(o option) bool { return variableName(o.name) == v.Name }) {
			continue
		}
		opts = append(opts, variableOption(&v))
	}
	return opts
}

// variableName returns the name of the variable that shows an option.
func variableName(option string) string { return strings.ReplaceAll(option, "-", "_") }

// variableOption returns the option for a variable.
func variableOption(v *sysvar.Variable) option {
	o := option{
		name: strings.ReplaceAll(v.Name, "_", "-"), arg: "VALUE", kind: textOption, def: v.Default,
		doc: "the system variable " + v.Name,
		set: func(s *settings, value optionValue) error { return s.setVariable(v, value) },
	}
	switch v.Kind {
	case sysvar.Boolean:
		o.kind, o.arg = booleanOption, ""
	case sysvar.Signed, sysvar.Unsigned:
		o.kind, o.arg, o.min, o.max = integerOption, "N", v.Min, int64(min(v.Max, math.MaxInt64))
		if v.Default == strconv.FormatUint(math.MaxUint64, 10) {
			o.def = strconv.FormatInt(math.MaxInt64, 10)
		}
	case sysvar.Double:
		o.kind, o.arg, o.min, o.max = decimalOption, "N", v.Min, int64(min(v.Max, math.MaxInt64))
	}
	return o
}

// setVariable sets the initial value of a variable.
func (s *settings) setVariable(v *sysvar.Variable, value optionValue) error {
	text := value.text
	switch v.Kind {
	case sysvar.Boolean:
		text = v.Text(sysvar.BoolValue(value.on))
	case sysvar.Signed, sysvar.Unsigned:
		text = strconv.FormatInt(value.number, 10)
	}
	texts, ok := v.OptionTexts(text)
	if !ok {
		return fmt.Errorf("value '%s' is none of the variable %s", value.text, v.Name)
	}
	if s.Variables == nil {
		s.Variables = map[string]string{}
	}
	maps.Copy(s.Variables, texts)
	if v.Name == "persisted_globals_load" {
		s.PersistedVariables = SwitchOf(value.on)
	}
	return nil
}

// PrintVariables writes the options that set system variables and their defaults, one a line.
func PrintVariables(w io.Writer) error {
	var b strings.Builder
	for _, o := range variableOptions {
		fmt.Fprintf(&b, "  %-60s %s\n", o.usage(), o.def)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
