package engine

import (
	"io"

	"pfsd/engine/config"
	"pfsd/engine/sysvar"
)

// Options configures a server. The zero value of each field is its default, and so the zero value of all serves the
// default registry on 127.0.0.1:3306 without a socket, a data directory, a log file or a workload.
type Options = config.Options

// Switch says in Options whether something is on. The zero value, Default, leaves it as it is by default.
type Switch = config.Switch

// The values of a Switch.
const (
	Default = config.Default
	On      = config.On
	Off     = config.Off
)

// An Origin is where the value of a variable comes from, as variables_info shows it.
type Origin = sysvar.Origin

// CommandLine is what a command line, the environment and the option file ask for together.
type CommandLine = config.CommandLine

// ParseCommandLine works out the options from the arguments after the program's name and from
// the environment, NAME=VALUE each. An option file overrides the defaults, the environment
// overrides the file, and the arguments override all. An error is one line that names the option
// and, where it is not on the command line, the place. Safe for concurrent use.
func ParseCommandLine(args, environ []string) (*CommandLine, error) {
	return config.ParseCommandLine(args, environ)
}

// PrintOptions writes one aligned paragraph for each option: what it is, and its default in brackets.
func PrintOptions(w io.Writer) error { return config.PrintOptions(w) }

// PrintVariables writes the options that set system variables and their defaults, one a line.
func PrintVariables(w io.Writer) error { return config.PrintVariables(w) }

// MachineMemory returns how much memory the program may have: the least of what the machine has, the control group allows and GOMEMLIMIT says,
// bytes; 0 if it is not known. Safe for concurrent use.
func MachineMemory() int64 { return config.MachineMemory() }
