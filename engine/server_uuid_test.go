package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// A server in a directory is always the same, others are always others.
func TestServerUUID(t *testing.T) {
	dir := t.TempDir()
	first, made, err := serverUUID(dir)
	if err != nil || !made || !uuidForm.MatchString(first) {
		t.Fatal(first, made, err)
	}
	if again, made, err := serverUUID(dir); err != nil || made || again != first {
		t.Error(again, made, err)
	}
	one, _, _ := serverUUID("")
	if other, _, _ := serverUUID(""); one == other || !uuidForm.MatchString(other) {
		t.Error(one, other)
	}
	for text, want := range map[string]string{
		"[auto]\nserver_uuid=6CE0A3F4-0000-11ef-a6f4-0242ac110002 \n": "6ce0a3f4-0000-11ef-a6f4-0242ac110002",
		"[auto]\nserver-uuid=short\n":                                 "",
		"[auto]\n":                                                    "",
	} {
		if err := os.WriteFile(filepath.Join(dir, uuidFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, err := serverUUID(dir); got != want || (err == nil) == (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
