package config

import (
	"cmp"
	"fmt"
	"strings"

	"pfsd/engine/sysvar"
)

// recorderVariables are the variables that programs read which were built with pfsd build: PFSD_RECORD, and those that begin with it. They may
// be in pfsd's own environment, too.
const recorderVariables = "record"

// environmentPrefix begins the names of environment variables that are options.
const environmentPrefix = "PFSD_"

// CommandLine is the result of a command line, the environment and the option file together.
type CommandLine struct {
	// Options is the configuration. Each option has its default or the value that was set.
	Options Options
	// Version, Help and Verbose tell whether --version, --help or --verbose was given.
	Version, Help, Verbose bool
	// PrintDefaults tells whether --print-defaults was given. Defaults are the options in force
	// then, as arguments.
	PrintDefaults bool
	Defaults      []string
	// Warnings are lines to show about options that were ignored, with the place of each.
	Warnings []string
}

// An assignment is one setting of an option, and its place.
type assignment struct {
	origin   string // "FILE:LINE: " or "environment variable NAME: ", "" on the command line
	source   string // for VARIABLE_SOURCE; "" is the command line
	path     string // of the file, "" if it is not from a file
	text     string // as written, for messages
	name     string
	value    string
	hasValue bool
}

// ParseCommandLine returns the options from the arguments after the program's name and from the
// environment, whose elements are NAME=VALUE. An option file overrides the defaults, the
// environment overrides the file, and the arguments override all. An error is one line that names
// the option and, unless it is on the command line, its place. Safe for concurrent use.
func ParseCommandLine(args, environ []string) (*CommandLine, error) {
	files, args, err := readFileArguments(args)
	if err != nil {
		return nil, err
	}
	fromArgs, err := readArguments(args)
	if err != nil {
		return nil, err
	}
	fromEnviron, environFile := readEnvironment(environ)
	if files.file == "" && !files.none {
		files.file = environFile
	}
	all, err := files.read()
	if err != nil {
		return nil, err
	}
	all = append(append(all, fromEnviron...), fromArgs...)

	s := settings{}
	for _, o := range options {
		if o.def == "" || o.kind == booleanOption {
			continue
		}
		v, err := o.parse(o.def)
		if err == nil {
			err = o.set(&s, v)
		}
		if err != nil {
			panic("config: bad default of option " + o.name + ": " + err.Error())
		}
	}
	line := &CommandLine{PrintDefaults: files.print}
	for _, a := range all {
		warning, err := a.apply(&s)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			line.Warnings = append(line.Warnings, warning)
		}
		line.Defaults = append(line.Defaults, a.argument())
	}
	line.Options, line.Version, line.Help, line.Verbose = s.resolve(), s.version, s.help, s.verbose
	if err := line.Options.forContainer(environ); err != nil {
		return nil, err
	}
	return line, nil
}

// argument returns the setting as an argument of a command line.
func (a *assignment) argument() string {
	if a.hasValue {
		return "--" + a.name + "=" + a.value
	}
	return "--" + a.name
}

// fileArguments say which option files to read. They come first on the command line.
type fileArguments struct {
	file, extra string
	none, print bool
}

// readFileArguments reads the arguments about option files. rest has the other arguments.
func readFileArguments(args []string) (f fileArguments, rest []string, err error) {
	for len(args) > 0 {
		arg, has := strings.CutPrefix(args[0], "--")
		name, value, hasValue := strings.Cut(canonical(arg), "=")
		if !has {
			break
		}
		switch name {
		case "no-defaults":
			f.none = true
		case "print-defaults":
			f.print = true
		case "defaults-file", "defaults-extra-file":
			if !hasValue && len(args) > 1 {
				args = args[1:]
				value = args[0]
			}
			if value == "" {
				return f, nil, fmt.Errorf("option '--%s' requires a value", name)
			}
			if name == "defaults-file" {
				f.file = value
			} else {
				f.extra = value
			}
		default:
			return f, args, nil
		}
		args = args[1:]
	}
	return f, args, nil
}

// read reads the option files.
func (f *fileArguments) read() (all []assignment, err error) {
	for _, file := range []struct{ path, source string }{{f.file, sysvar.SourceExplicit}, {f.extra, sysvar.SourceExtra}} {
		if file.path == "" {
			continue
		}
		as, err := readOptionFile(file.path)
		if err != nil {
			return nil, err
		}
		for i := range as {
			as[i].source = file.source
		}
		all = append(all, as...)
	}
	return all, nil
}

// shortOptions are the options of one letter.
var shortOptions = map[byte]string{
	'?': "help", 'C': "character-set-server", 'P': "port", 'V': "version", 'b': "basedir", 'h': "datadir", 't': "tmpdir", 'v': "verbose",
}

// readArguments splits the arguments into assignments.
func readArguments(args []string) (as []assignment, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		a := assignment{text: arg}
		switch {
		case arg == "--":
			continue
		case strings.HasPrefix(arg, "--"):
			a.name, a.value, a.hasValue = strings.Cut(canonical(arg[2:]), "=")
		case !strings.HasPrefix(arg, "-"):
			return nil, fmt.Errorf("unexpected argument '%s'", arg)
		case len(arg) > 1 && shortOptions[arg[1]] != "":
			a.name, a.value, a.hasValue = shortOptions[arg[1]], arg[2:], len(arg) > 2
		default:
			return nil, fmt.Errorf("unknown option '%s'", arg)
		}
		if o, _, _ := lookUpOption(a.name); o != nil && o.needsValue() && !a.hasValue && i+1 < len(args) {
			i++
			a.value, a.hasValue = args[i], true
		}
		as = append(as, a)
	}
	return as, nil
}

// readEnvironment reads the options from the environment. file is the value of PFSD_DEFAULTS_FILE.
func readEnvironment(environ []string) (as []assignment, file string) {
	for _, e := range environ {
		variable, value, _ := strings.Cut(e, "=")
		name, has := strings.CutPrefix(variable, environmentPrefix)
		if !has {
			continue
		}
		name = canonical(strings.ToLower(name))
		if name == recorderVariables || strings.HasPrefix(name, recorderVariables+"-") {
			continue
		}
		if name == "defaults-file" {
			file = value
			continue
		}
		// A container may have variables with this prefix for other reasons (a Kubernetes service
		// named pfsd sets some). So the server starts even if a variable is unknown.
		if o, _, _ := find(name); o == nil {
			name = "loose-" + name
		}
		values := []string{value}
		if name == "performance-schema-instrument" {
			values = strings.Split(value, ",") // the environment has each variable only once
		}
		for _, v := range values {
			as = append(as, assignment{origin: "environment variable " + variable + ": ", text: variable, name: name, value: v, hasValue: true})
		}
	}
	return as, file
}

// canonical replaces underscores by dashes in the name before the first =.
func canonical(s string) string {
	name, value, has := strings.Cut(s, "=")
	name = strings.ReplaceAll(name, "_", "-")
	if has {
		return name + "=" + value
	}
	return name
}

// find finds an option by its full name. prefix is the skip-, disable- or enable- before a boolean.
// loose tells whether the name begins with loose-, so that it may be unknown.
func find(name string) (o *option, prefix string, loose bool) {
	name, loose = strings.CutPrefix(name, "loose-")
	for _, p := range []string{"", "skip-", "disable-", "enable-"} {
		base, ok := strings.CutPrefix(name, p)
		if !ok {
			continue
		}
		for _, all := range [][]option{options, variableOptions} {
			for i := range all {
				if all[i].name == base && (p == "" || all[i].kind == booleanOption) {
					return &all[i], p, loose
				}
			}
		}
	}
	return nil, "", loose
}

const maximumPrefix = "maximum-"

// lookUpOption does the same as find, and also accepts the prefix maximum- before a number.
func lookUpOption(name string) (o *option, prefix string, loose bool) {
	if o, prefix, loose = find(name); o != nil {
		return o, prefix, loose
	}
	name, _ = strings.CutPrefix(name, "loose-")
	if base, ok := strings.CutPrefix(name, maximumPrefix); ok {
		if o, prefix, _ := find(base); o != nil && prefix == "" && o.kind == integerOption {
			return o, maximumPrefix, loose
		}
	}
	return nil, "", loose
}

func (o *option) needsValue() bool { return o.kind != booleanOption && o.kind != actionOption }

// apply sets the option in s. warning is the text about an option that was ignored.
func (a *assignment) apply(s *settings) (warning string, err error) {
	o, prefix, loose := lookUpOption(a.name)
	if o == nil {
		if loose {
			return fmt.Sprintf("%signoring unknown option '%s'", a.origin, a.text), nil
		}
		return "", fmt.Errorf("%sunknown option '%s'", a.origin, a.text)
	}
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("%soption '--%s': %w", a.origin, o.name, err)
	}
	v := optionValue{on: prefix == "" || prefix == "enable-"}
	switch {
	case a.hasValue && (o.kind == actionOption || prefix != "" && prefix != maximumPrefix):
		return "", fmt.Errorf("%soption '--%s%s' takes no value", a.origin, prefix, o.name)
	case a.hasValue:
		if v, err = o.parse(a.value); err != nil {
			return fail(err)
		}
	case o.needsValue():
		return "", fmt.Errorf("%soption '--%s' requires a value", a.origin, o.name)
	}
	if prefix == maximumPrefix {
		if s.Maxima == nil {
			s.Maxima = map[string]int64{}
		}
		s.Maxima[variableName(o.name)] = v.number
		return "", nil
	}
	if err := o.set(s, v); err != nil {
		return fail(err)
	}
	if s.Origins == nil {
		s.Origins = map[string]sysvar.Origin{}
	}
	s.Origins[variableName(o.name)] = sysvar.Origin{Source: cmp.Or(a.source, sysvar.SourceCommandLine), Path: a.path}
	return "", nil
}
