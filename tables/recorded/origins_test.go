package recorded

import (
	"testing"

	"pfsd/tables"
)

// TestOrigins: it is known of each table whom its rows are about, and nothing else is in the list.
func TestOrigins(t *testing.T) {
	there := map[string]bool{}
	for _, version := range tables.Versions {
		for _, def := range tables.AllOf(version) {
			there[def.Name()] = true
			if (*Model)(nil).Origin(tables.Schema, def.Name()) == tables.Unclassified {
				t.Errorf("%s is not in the list of whom tables are about", def.Name())
			}
		}
	}
	for name := range origins[tables.Schema] {
		if !there[name] {
			t.Errorf("%s is in the list, and is no table", name)
		}
	}
}
