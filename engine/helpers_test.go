package engine

import (
	"flag"
	"testing"
)

var rewrite = flag.Bool("rewrite-docs", false, "write generated files anew")

// parse reads a command line with an empty environment.
func parse(t *testing.T, args ...string) *CommandLine {
	t.Helper()
	line, err := ParseCommandLine(args, nil)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return line
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
