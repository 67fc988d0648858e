package engine

import "pfsd/engine/config"

// Options configures a server. The zero value of each field is its default, and so the zero value of all serves the
// default registry on 127.0.0.1:3306 without a socket, a data directory, a log file or a workload. Package config makes Options of a
// command line, the environment and option files.
type Options = config.Options

// Switch says in Options whether something is on. The zero value, Default, leaves it as it is by default.
type Switch = config.Switch

// The values of a Switch.
const (
	Default = config.Default
	On      = config.On
	Off     = config.Off
)
