package recorded

import (
	"testing"

	"pfsd/tables"
)

// TestOrigins: each table says whom its rows are about.
func TestOrigins(t *testing.T) {
	for _, version := range tables.Versions {
		for _, def := range tables.AllOf(version) {
			if (*Model)(nil).Origin(tables.Schema, def.Name()) == tables.Unclassified {
				t.Errorf("%s does not say whom its rows are about in a recording", def.Name())
			}
		}
	}
}
