package connection

import (
	"strings"
	"testing"

	"pfsd/engine/privilege"
	"pfsd/engine/wire"
)

// TestEveryCommandHasRules: so has each command of the protocol.
func TestEveryCommandHasRules(t *testing.T) {
	for _, name := range handled {
		if privilege.For(privilege.Command, strings.ReplaceAll(name, " ", "_")) == nil {
			t.Errorf("command %q has no rules", name)
		}
	}
	for code, c := range protocolCommands {
		if privilege.For(privilege.Command, strings.ReplaceAll(c.name, " ", "_")) == nil {
			t.Errorf("command %q (%#x) has no rules", c.name, code)
		}
	}
	for code, is := range wire.Passed {
		if _, known := handled[byte(code)]; is && !known && protocolCommands[byte(code)].name == "" {
			t.Errorf("command %#x goes to the protocol layer and has no name", code)
		}
	}
}
