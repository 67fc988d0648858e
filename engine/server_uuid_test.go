package engine

import (
	"os"
	"path/filepath"
	"testing"

	"pfsd/engine/datadir"
	"pfsd/instr"
)

// openDir opens a data directory until the test ends.
func openDir(t *testing.T, path string) *datadir.Dir {
	t.Helper()
	d, err := datadir.Open(instr.NewRegistry(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// A server in a directory is always the same, others are always others.
func TestServerUUID(t *testing.T) {
	path := t.TempDir()
	reg := instr.NewRegistry()
	dir, none := openDir(t, path), openDir(t, "")
	first, made, err := serverUUID(reg, dir)
	if err != nil || !made || !uuidForm.MatchString(first) {
		t.Fatal(first, made, err)
	}
	if again, made, err := serverUUID(reg, dir); err != nil || made || again != first {
		t.Error(again, made, err)
	}
	one, _, _ := serverUUID(reg, none)
	if other, _, _ := serverUUID(reg, none); one == other || !uuidForm.MatchString(other) {
		t.Error(one, other)
	}
	for text, want := range map[string]string{
		"[auto]\nserver_uuid=6CE0A3F4-0000-11ef-a6f4-0242ac110002 \n": "6ce0a3f4-0000-11ef-a6f4-0242ac110002",
		"[auto]\nserver-uuid=short\n":                                 "",
		"[auto]\n":                                                    "",
		"":                                                            "",
	} {
		if err := os.WriteFile(filepath.Join(path, uuidFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, err := serverUUID(reg, dir); got != want || (err == nil) == (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
