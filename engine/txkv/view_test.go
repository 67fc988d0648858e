package txkv

import "testing"

// A view shows the committed values and the writes up to its mark, whatever the transaction writes
// afterwards.
func TestViewKeepsTheWritesOfItsMark(t *testing.T) {
	s, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(x *Txn, key, value string) {
		t.Helper()
		if err := x.Put([]byte(key), []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	first := s.Begin(TxnOptions{})
	put(first, "a", "1")
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	x := s.Begin(TxnOptions{Isolation: RepeatableRead})
	defer x.Rollback()
	put(x, "b", "2")
	view := x.At(x.Mark())
	put(x, "a", "3")
	put(x, "c", "4")
	if err := x.Delete([]byte("b")); err != nil {
		t.Fatal(err)
	}
	for _, scan := range []func(lo, hi []byte, reverse bool) (*Iterator, error){view.Scan, view.ScanNewest} {
		it, err := scan([]byte("a"), []byte("z"), false)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for it.Next() {
			got += string(it.Key()) + string(it.Value())
		}
		if err := it.Close(); err != nil || got != "a1b2" {
			t.Errorf("the view shows %q (%v), want a1b2", got, err)
		}
	}
	for _, get := range []func([]byte) ([]byte, error){view.Get, view.GetNewest} {
		for key, want := range map[string]string{"a": "1", "b": "2", "c": ""} {
			if got, err := get([]byte(key)); err != nil || string(got) != want {
				t.Errorf("%s is %q (%v), want %q", key, got, err, want)
			}
		}
	}
}
