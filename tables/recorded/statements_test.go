package recorded

import (
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
)

// Whatever a recording calls an instrument, there is one of a valid name: the registry panics at others.
func FuzzInstrumentName(f *testing.F) {
	for _, name := range []string{"http/GET /users/{id}", "http/GET /", "db.client/select", "", "/", "a", "//", "a//b/", "http.client/TLS handshake", "\x00é/\xff"} {
		f.Add(name)
	}
	reg := instr.NewRegistry()
	f.Fuzz(func(t *testing.T, name string) {
		for _, k := range []instr.Kind{instr.KindStatement, instr.KindStage} {
			reg.Setup().RecordedClass(k, instrumentName(k, name))
		}
	})
}

func TestInstrumentName(t *testing.T) {
	for name, want := range map[string]string{"http/GET /users/{id}": "http/GET /users/{id}", "http/GET //x": "http/GET /_/x", "select": "other/other"} {
		if got := instrumentName(instr.KindStatement, name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
	if got := instrumentName(instr.KindStage, "http/a{b}/"); got != "http/a_b_" {
		t.Errorf("a stage is called %q", got)
	}
}

// What statements lose counts where the status variables have it, and FLUSH STATUS resets threads.
func TestLostWork(t *testing.T) {
	all, flushed := record.LostWork{Texts: 1, Rows: 20, Nested: 300}, record.LostWork{Texts: 1, Rows: 5}
	for l, want := range map[instr.Limit]uint64{instr.LimitStatementClasses: 1, instr.LimitThreadInstances: 15, instr.LimitFileInstances: 0} {
		if got := lostWork(all, flushed, l); got != want {
			t.Errorf("%s: %d, not %d", l, got, want)
		}
	}
}
