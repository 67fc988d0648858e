// Package config has the options of a server, and reads their values from the command line, option
// files, the environment and the variables of MySQL's container image.
//
// A program makes [Options] itself, or ParseCommandLine makes them. The engine completes them with
// WithDefaults and WithPersisted, sets the registry's switches and sizes with Apply, and makes the
// server's system variables (package sysvar) with NewVariables. All other effects of options are in
// the engine.
//
// Begin reading at options.go. A new option is a line in table.go, or in the file of its topic.
//
// Called by engine and wire. Calls most of the packages that come before it in the list of
// cmd/pfsd/deps_test.go.
package config
