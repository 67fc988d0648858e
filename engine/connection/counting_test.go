package connection

import (
	"testing"
	"time"

	"pfsd/engine/vtable"
	"pfsd/instr"
)

// BenchmarkStatusOfStatement is what counting adds to a statement that reads a table by a key.
func BenchmarkStatusOfStatement(b *testing.B) {
	reg := instr.NewRegistry()
	th := reg.AttachConnection("sql/one_connection", 1)
	defer th.Detach()
	w := newWork(NewInstruments(reg), th, 1)
	w.slow.from = time.Hour
	for b.Loop() {
		w.status.BytesReceived.AddTo(th, 30)
		w.status.Arrived(th, true)
		w.countCommand("select")
		w.countRequests(vtable.ReadKey, 1)
		w.sumUp()
		w.status.Commit.AddTo(th, 1)
		w.noteDuration(nil, time.Millisecond)
		w.status.BytesSent.AddTo(th, 100)
		w.Current.Handler = vtable.HandlerCounts{}
	}
}
