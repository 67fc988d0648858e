// Package config has the options of a server: which there are, and how the command line, option files, the environment and the variables
// of MySQL's container image give them their values.
//
// A program makes [Options] by itself or has ParseCommandLine make them. The engine completes them with WithDefaults and WithPersisted,
// gives the registry its switches and sizes with Apply, and the server its system variables, package sysvar, with NewVariables. What the
// options are for is the engine's.
//
// Begin reading at options.go. A new option is a line in table.go, or in the file of its topic.
//
// Called by engine and wire. Calls most of the packages that stand above it in
// cmd/pfsd/deps_test.go.
package config
