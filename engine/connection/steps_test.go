package connection

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/programs"
	"pfsd/instr"
)

// TestSteps: when an instruction of a stored program ends or panics, the statement that it is part of goes on, even if an instruction inside of
// it has not ended; one that has been left cannot end the statement around it.
func TestSteps(t *testing.T) {
	reg := instr.NewRegistry()
	th := reg.AttachConnection("sql/one_connection", 1)
	defer th.Detach()
	w := newWork(NewInstruments(reg), th, 1)
	ctx := sql.NewEmptyContext()
	w.begin(ctx, commandQuery, "CALL p()")
	s, of, sent := steps{w}, reg.NewProgram(instr.ObjectProcedure, "d", "p"), uint64(0)
	begin := func() programs.Step {
		step := s.BeginStep(ctx, w.instructions["stmt"], "SELECT 1", of)
		sent++
		w.Current.Sent = sent
		return step
	}
	check := func(what string, sent uint64, around int) {
		t.Helper()
		if w.Current.Sent != sent || len(w.outer) != around {
			t.Errorf("%s: the statement is number %d with %d around it, want %d with %d", what, w.Current.Sent, len(w.outer), sent, around)
		}
	}
	first := begin()
	s.LeaveStep(begin())
	check("an inner step has panicked", 1, 1)
	second := begin()
	s.EndStep(ctx, first, nil, true)
	check("the outer step has ended", 0, 0)
	s.EndStep(ctx, second, nil, true)
	check("the inner step ends late", 0, 0)
	begin()
	begin()
	w.leavePrograms()
	check("the statement has failed", 0, 0)
}
