package instr

import "testing"

func TestMeasuredMemory(t *testing.T) {
	r := NewRegistry()
	now := 7
	stop := r.MeasureMemory([]MemoryPart{{"store/a", "A."}, {"store/b", "B."}}, func(bytes []int) { bytes[0], bytes[1] = now, 2*now })
	a, b := r.NewMemoryClass("store/a").Class(), r.NewMemoryClass("store/b").Class()
	want := func(in, high int64) {
		t.Helper()
		r.Reader().MeasureMemory()
		if s := a.SharedMemory(); s.Bytes() != in || s.HighBytes() != high {
			t.Errorf("%d bytes, %d at most; not %d, %d", s.Bytes(), s.HighBytes(), in, high)
		}
		if s := b.SharedMemory(); s.Bytes() != 2*in {
			t.Errorf("%d bytes, not %d", s.Bytes(), 2*in)
		}
	}
	if !a.Measured() {
		t.Error("nobody would measure it")
	}
	want(7, 7)
	now = 3
	want(3, 7)
	stop()
	want(0, 7)
	stop = r.MeasureMemory([]MemoryPart{{"store/a", "A."}, {"store/b", "B."}}, func(bytes []int) { bytes[0], bytes[1] = now, 2*now })
	want(3, 7)
	a.SetEnabled(false)
	now = 9
	r.Reader().MeasureMemory()
	if s := a.SharedMemory(); s.Bytes() != 3 {
		t.Errorf("%d bytes of one that is off", s.Bytes())
	}
	stop()
}
