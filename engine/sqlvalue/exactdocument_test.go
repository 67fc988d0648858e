package sqlvalue

import (
	"encoding/json"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// TestStoredDocument: a document that was stored without blanks is shown with them.
func TestStoredDocument(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":1,"a":"x,:y"}`: `{"a": "x,:y", "b": 1}`, `["a\",", 2]`: `["a\",", 2]`, `["a\"",2]`: `["a\"", 2]`, `"a,b"`: `"a,b"`, `9007199254740993`: `9007199254740993`, `[]`: `[]`,
	} {
		got, err := types.JsonToMySqlString(sql.NewEmptyContext(), StoredDocument([]byte(text)))
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}

// FuzzExactDocument: no text ends the process, and a document has the same values as DOUBLE.
func FuzzExactDocument(f *testing.F) {
	for _, s := range []string{`{"a": 9007199254740993}`, `[1234567890123456.5, "1234567890123456"]`, `-123456789012345678901234567890`, `1234567890123456`, `{"a":[1e300,1234567890123456789]}`, `[`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := ExactDocument(s).(types.JSONDocument)
		if !ok {
			return
		}
		var plain any
		if err := json.Unmarshal([]byte(s), &plain); err != nil {
			t.Fatalf("%q is no document: %v", s, err)
		}
		text, err := types.JsonToMySqlString(sql.NewEmptyContext(), d)
		if err != nil {
			t.Fatal(err)
		}
		var again any
		if err := json.Unmarshal([]byte(text), &again); err != nil {
			t.Fatalf("%q is shown as %q: %v", s, text, err)
		}
	})
}
