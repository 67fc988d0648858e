package engine

import (
	"flag"
	"testing"

	"pfsd/engine/config"
)

var rewrite = flag.Bool("rewrite-docs", false, "write generated files anew")

// parse reads a command line with an empty environment.
func parse(t *testing.T, args ...string) *config.CommandLine {
	t.Helper()
	line, err := config.ParseCommandLine(args, nil)
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

const (
	// halfOpenMax is how many connections there can be whose clients have not signed in; docs/security.md says so.
	halfOpenMax = 100
	// packetMax is how long the payload of a packet of MySQL's protocol can be, bytes.
	packetMax = 1<<24 - 1
	// packetsBytes is how much memory a connection has for packets that are not written yet.
	packetsBytes = 20 << 10
)
