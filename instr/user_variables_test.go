package instr

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestUserVariables(t *testing.T) {
	w := newWorker(t)
	if got := w.UserVariables(nil); len(got) != 0 {
		t.Errorf("there are %v", got)
	}
	w.SetUserVariable("b", "1")
	w.SetUserVariable("Aa", "2")
	w.SetUserVariable("c", "")
	w.SetUserVariable("aA", "3")
	want := []UserVariable{{"Aa", "3"}, {"b", "1"}, {"c", ""}}
	if got := w.UserVariables(nil); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	w.ClearUserVariables()
	if got := w.UserVariables(nil); len(got) != 0 {
		t.Errorf("after it is cleared there are %v", got)
	}
	var none *Thread
	none.SetUserVariable("a", "b")
	none.ClearUserVariables()
}

// The record of a thread that has ended starts empty for the next one.
func TestSessionEndsWithItsThread(t *testing.T) {
	r := NewRegistry()
	th := r.Attach("test/first")
	th.SetUserVariable("a", "1")
	th.SetConnectAttrs([]ConnectAttr{{"a", "1"}})
	th.Detach()
	next := r.Attach("test/next")
	defer next.Detach()
	if next != th {
		t.Fatal("the record is not used again")
	}
	if v, a := next.UserVariables(nil), next.ConnectAttrs(nil); len(v)+len(a) != 0 {
		t.Errorf("there are %v and %v", v, a)
	}
}

// A reader gets the variables of one thread, also if another thread has the record meanwhile.
func TestUserVariablesRace(t *testing.T) {
	r := NewRegistry()
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	readers.Go(func() {
		for {
			for _, th := range r.Reader().Threads() {
				if v := th.UserVariables(nil); len(v) == 2 && v[0].Value != v[1].Value {
					t.Errorf("two threads at once: %v", v)
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for n := range 3 {
		writers.Go(func() {
			for i := range 200 {
				th := r.Attach("test/writer")
				th.SetUserVariable("a", fmt.Sprint(n, i))
				th.SetUserVariable("b", fmt.Sprint(n, i))
				th.ClearUserVariables()
				th.Detach()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
}
