package engine

import (
	"errors"
	"fmt"
	"strings"
)

// environmentPrefix begins the names of environment variables that are options.
const environmentPrefix = "PFSD_"

// CommandLine is what a command line, the environment and the option file ask for together.
type CommandLine struct {
	// Options is the configuration, every option at its default or as it was set.
	Options Options
	// Version and Help tell that --version or --help was given.
	Version, Help bool
	// Warnings are lines to show: what was ignored, and where it stood.
	Warnings []string
}

// An assignment is one setting of an option, and where it stands.
type assignment struct {
	origin   string // "FILE:LINE: " or "environment variable NAME: ", "" on the command line
	text     string // as written, for messages
	name     string
	value    string
	hasValue bool
}

// ParseCommandLine works out the options from the arguments after the program's name and from
// the environment, NAME=VALUE each. An option file overrides the defaults, the environment
// overrides the file, and the arguments override all. An error is one line that names the option
// and, where it is not on the command line, the place. Safe for concurrent use.
func ParseCommandLine(args, environ []string) (*CommandLine, error) {
	fromArgs, file, err := readArguments(args)
	if err != nil {
		return nil, err
	}
	fromEnviron, environFile := readEnvironment(environ)
	if file == "" {
		file = environFile
	}
	var all []assignment
	if file != "" {
		if all, err = readOptionFile(file); err != nil {
			return nil, err
		}
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
			panic("engine: bad default of option " + o.name + ": " + err.Error())
		}
	}
	line := &CommandLine{}
	for _, a := range all {
		warning, err := a.apply(&s)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			line.Warnings = append(line.Warnings, warning)
		}
	}
	line.Options, line.Version, line.Help = s.resolve(), s.version, s.help
	if err := line.Options.forContainer(environ); err != nil {
		return nil, err
	}
	return line, nil
}

// readArguments splits the arguments into assignments; file is the --defaults-file.
func readArguments(args []string) (as []assignment, file string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			continue
		case arg == "-V":
			arg = "--version"
		case arg == "-?":
			arg = "--help"
		case !strings.HasPrefix(arg, "-"):
			return nil, "", fmt.Errorf("unexpected argument '%s'", arg)
		case !strings.HasPrefix(arg, "--"):
			return nil, "", fmt.Errorf("unknown option '%s'", arg)
		}
		first := i == 0
		a := assignment{text: arg}
		a.name, a.value, a.hasValue = strings.Cut(canonical(arg[2:]), "=")
		if o, _, _ := find(a.name); o != nil && o.needsValue() && !a.hasValue && i+1 < len(args) {
			i++
			a.value, a.hasValue = args[i], true
		}
		if first && a.name == "defaults-file" {
			if a.value == "" {
				return nil, "", errors.New("option '--defaults-file' requires a value")
			}
			file = a.value
			continue
		}
		as = append(as, a)
	}
	return as, file, nil
}

// readEnvironment picks the options out of the environment; file is PFSD_DEFAULTS_FILE.
func readEnvironment(environ []string) (as []assignment, file string) {
	for _, e := range environ {
		variable, value, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(variable, environmentPrefix)
		if !ours {
			continue
		}
		name = canonical(strings.ToLower(name))
		if name == "defaults-file" {
			file = value
			continue
		}
		// Whatever starts a container may set variables of our prefix for reasons of its own
		// (a Kubernetes service named pfsd does): an unknown one is no reason not to start.
		if o, _, _ := find(name); o == nil {
			name = "loose-" + name
		}
		values := []string{value}
		if name == "performance-schema-instrument" {
			values = strings.Split(value, ",") // a variable cannot be given twice
		}
		for _, v := range values {
			as = append(as, assignment{"environment variable " + variable + ": ", variable, name, v, true})
		}
	}
	return as, file
}

// canonical writes the name in front of the first = with dashes.
func canonical(s string) string {
	name, value, has := strings.Cut(s, "=")
	name = strings.ReplaceAll(name, "_", "-")
	if has {
		return name + "=" + value
	}
	return name
}

// find looks an option up. prefix is the skip-, disable- or enable- in front of a boolean, loose
// whether the name may be unknown.
func find(name string) (o *option, prefix string, loose bool) {
	name, loose = strings.CutPrefix(name, "loose-")
	for i := range options {
		if options[i].name == name {
			return &options[i], "", loose
		}
	}
	for _, p := range []string{"skip-", "disable-", "enable-"} {
		if base, ok := strings.CutPrefix(name, p); ok {
			for i := range options {
				if options[i].name == base && options[i].kind == booleanOption {
					return &options[i], p, loose
				}
			}
		}
	}
	return nil, "", loose
}

func (o *option) needsValue() bool { return o.kind != booleanOption && o.kind != actionOption }

// apply sets the option in s. The warning tells of one that was ignored.
func (a *assignment) apply(s *settings) (warning string, err error) {
	o, prefix, loose := find(a.name)
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
	case a.hasValue && (o.kind == actionOption || prefix != ""):
		return "", fmt.Errorf("%soption '--%s%s' takes no value", a.origin, prefix, o.name)
	case a.hasValue:
		if v, err = o.parse(a.value); err != nil {
			return fail(err)
		}
	case o.needsValue():
		return "", fmt.Errorf("%soption '--%s' requires a value", a.origin, o.name)
	}
	if err := o.set(s, v); err != nil {
		return fail(err)
	}
	return "", nil
}
