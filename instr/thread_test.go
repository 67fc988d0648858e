package instr

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestThreadLookup(t *testing.T) {
	if !HasThreadLookup {
		t.Skip("this platform has none")
	}
	r := NewRegistry()
	if goidOffset == 0 {
		t.Error("the goroutine's id was not found in its descriptor")
	}
	if Current() != nil {
		t.Error("a goroutine is a thread without having asked")
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 {
				th := r.Attach("test/x")
				if Current() != th {
					t.Error("Current is another thread")
				}
				inherited := make(chan *Thread)
				go func() { inherited <- Current() }()
				if <-inherited != nil {
					t.Error("a child goroutine inherits its parent's thread")
				}
				runtime.Gosched()
				if Current() != th || r.Reader().ThreadByID(th.ID()) != th {
					t.Error("the thread is lost")
				}
				id := th.ID()
				th.Detach()
				th.Detach()
				if Current() != nil || th.ID() == id || r.Reader().ThreadByID(id) != nil {
					t.Error("the thread has not ended")
				}
			}
		}()
	}
	wg.Wait()
	if n := len(r.Reader().Threads()); n != 0 {
		t.Errorf("%d threads are left", n)
	}
}

func TestThreadNames(t *testing.T) {
	r := NewRegistry()
	for _, name := range []string{"test/x", "thread/test/x"} {
		th := r.Attach(name)
		if s, _ := th.Snapshot(); s.Name != "thread/test/x" {
			t.Errorf("%s is shown as %s", name, s.Name)
		}
		th.Detach()
	}
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), `"thread/main"`) {
			t.Errorf("a name of one part: %v", p)
		}
	}()
	r.Attach("main")
}

func TestThreadIDsAreNeverUsedAgain(t *testing.T) {
	r := NewRegistry()
	for want := uint64(1); want < 200; want++ {
		th := r.Attach("test/x")
		if th.ID() != want {
			t.Fatalf("thread %d, want %d", th.ID(), want)
		}
		th.Detach()
	}
}

func TestAttachEndsTheGoroutinesOtherThread(t *testing.T) {
	r := NewRegistry()
	a := r.Attach("test/a")
	id := a.ID()
	b := r.Attach("test/b")
	defer b.Detach()
	if r.Reader().ThreadByID(id) != nil || len(r.Reader().Threads()) != 1 {
		t.Error("the first thread lives on")
	}
}

// A new thread must not show what the last thread of the record has left.
func TestThreadRecordsStartEmpty(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	class := r.Reader().ClassByName("wait/synch/mutex/test/lock")
	a := r.AttachConnection("sql/one_connection", 7)
	a.SetAccount("root", "localhost")
	a.SetInfo("select 1")
	m.Lock()
	m.Unlock()
	a.Detach()
	b := r.Attach("test/b")
	defer b.Detach()
	if a != b {
		t.Fatal("the record is not used again")
	}
	if len(b.CurrentWaits(nil)) != 0 || len(b.WaitsHistory(nil)) != 0 || b.classWaits(class) != NoStat {
		t.Error("the new thread has the old one's events")
	}
	if s, ok := b.Snapshot(); !ok || s.Info != "" || s.Account.User != "" || s.Process != 0 || s.Name != "thread/test/b" {
		t.Errorf("%+v", s)
	}
	if events := longEvents(r); len(events) != 1 {
		t.Errorf("history_long has %d events of the ended thread, want 1", len(events))
	}
}

func TestGoEndsItsThreadOnPanicAndGoexit(t *testing.T) {
	r := NewRegistry()
	done := make(chan struct{})
	r.Go("test/exits", func() {
		defer close(done)
		runtime.Goexit()
	})
	<-done
	for len(r.Reader().Threads()) > 0 {
		runtime.Gosched()
	}
}

func BenchmarkCurrent(b *testing.B) {
	r := NewRegistry()
	defer r.Attach("test/x").Detach()
	for b.Loop() {
		Current()
	}
}

// Records of ended threads are used again, with a history of the size that is set now.
func TestRecordsFollowTheHistorySize(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/lock")
	held := func() int {
		th := r.Attach("test/next")
		defer th.Detach()
		for range 100 {
			m.LockAs(th)
			m.Unlock()
		}
		return len(th.WaitsHistory(nil))
	}
	for _, n := range []int{defaultHistorySize, 3, 3, 0, 20} {
		r.Setup().SetHistorySize(FamilyWaits, n)
		if got := held(); got != n {
			t.Errorf("history of %d, want %d", got, n)
		}
	}
	if n := len(r.threads.all()); n != 1 {
		t.Errorf("%d records, want one that is used again", n)
	}
}

// A goroutine that is no thread has a nil one, whose setters do nothing.
func TestNilThreadSaysNothing(t *testing.T) {
	var none *Thread
	none.SetAccount("shop", "localhost")
	none.SetPort(1)
	none.SetConnectionType("TCP/IP")
	none.SetDB("shop")
	none.SetCommand("Query")
	none.SetState("working")
	none.SetInfo("SELECT 1")
	none.SetUserVariable("a", "1")
	none.SetConnectAttrs(nil)
	none.SetWorkEstimated(1)
	none.SetWorkCompleted(1)
	none.StartTransaction(TransactionOptions{})
	none.Savepoint()
	none.EndTransaction(true)
	s := none.StartStatement(nil)
	s.Finish(&StatementResult{})
	none.StartStage(nil)
	none.EndStage()
	none.RaiseError(1064, false)
}
