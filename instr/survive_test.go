package instr

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// What is locked before main, and before anybody looks.
var (
	lockedInInit   Mutex
	readInInit     RWMutex
	fileReadInInit = func() []byte { b, _ := OS().ReadFile("/proc/self/comm"); return b }()
)

func init() {
	lockedInInit.Lock()
	lockedInInit.Unlock()
	readInInit.RLock()
	readInInit.RUnlock()
}

// In init and in the initialisation of variables everything works, and the zero values stay what they are.
func TestUsedInInit(t *testing.T) {
	if !lockedInInit.TryLock() || !readInInit.TryLock() {
		t.Fatal("a lock that init has used is locked")
	}
	lockedInInit.Unlock()
	readInInit.Unlock()
	if runtime.GOOS == "linux" && len(fileReadInInit) == 0 {
		t.Error("a file could not be read")
	}
	if in := lockedInInit.instance.Load(); in == nil || in.Holder() != 0 {
		t.Errorf("the lock is held by %+v", in)
	}
}

// zeroes are the zero values that can be used.
type zeroes struct {
	mutex     Mutex
	rwMutex   RWMutex
	once      Once
	waitGroup WaitGroup
	pool      Pool
	group     Group
}

func (z *zeroes) use() {
	z.mutex.Lock()
	z.mutex.Unlock()
	z.rwMutex.RLock()
	z.rwMutex.RUnlock()
	z.once.Do(func() {})
	z.waitGroup.Add(1)
	z.waitGroup.Done()
	z.waitGroup.Wait()
	z.pool.Put(1)
	z.pool.Get()
	z.group.Go(func() error { return nil })
	_ = z.group.Wait()
}

// A value that is used while everything is off, is used on when it is on, and off again: each time it does what it should.
func TestZeroValuesBeforeAndAfterTheStart(t *testing.T) {
	defer Default.Setup().SetConsumer(ConsumerGlobalInstrumentation, Default.Setup().Consumer(ConsumerGlobalInstrumentation))
	var z zeroes
	for _, on := range []bool{false, true, false, true} {
		Default.Setup().SetConsumer(ConsumerGlobalInstrumentation, on)
		z.use()
		fresh := new(zeroes)
		fresh.use()
	}
	// Locked while it is on, unlocked while it is off, and the other way round: no holder is left.
	c := Default.Reader().ClassByName("wait/synch/mutex/instr/Mutex")
	for _, on := range []bool{true, false} {
		c.SetEnabled(on)
		z.mutex.Lock()
		c.SetEnabled(!on)
		z.mutex.Unlock()
		if h := z.mutex.instance.Load().Holder(); h != 0 {
			t.Errorf("locked while on is %v: the holder %+v is left", on, h)
		}
	}
	c.SetEnabled(false)
}

// Finalizers and cleanups run in a goroutine of the runtime's, which becomes a thread as any.
func TestUsedInFinalizers(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/finalizer")
	finalized, cleaned := make(chan uint64, 1), make(chan uint64, 1)
	func() {
		x := new([64]byte)
		runtime.SetFinalizer(x, func(*[64]byte) { m.Lock(); m.Unlock(); finalized <- r.currentID() })
		y := new([64]byte)
		runtime.AddCleanup(y, func(int) { m.Lock(); m.Unlock(); cleaned <- r.currentID() }, 0)
	}()
	for what, done := range map[string]chan uint64{"finalizer": finalized, "cleanup": cleaned} {
		collected(t, "what has a "+what, func() bool {
			select {
			case id := <-done:
				if HasGoroutineThreads() && id == 0 {
					t.Errorf("the goroutine of a %s is no thread", what)
				}
				return true
			default:
				return false
			}
		})
	}
	if n := m.instance.Load().Waits().Count; n != 2 {
		t.Errorf("%d waits, want 2", n)
	}
}

// What a signal wakes counts as anything else.
func TestUsedAfterSignals(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/signal")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	defer signal.Stop(signals)
	var all sync.WaitGroup
	const n = 20
	all.Go(func() {
		for range n {
			<-signals
			m.Lock()
			m.Unlock()
			if r.currentID() == 0 && HasGoroutineThreads() {
				t.Error("the goroutine is no thread")
			}
		}
	})
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the signals have come", func() bool {
		check(t, self.Signal(syscall.SIGUSR1))
		return m.instance.Load().Waits().Count >= n
	})
	all.Wait()
}

// A lock that another goroutine unlocks has no holder afterwards, nor the wrong one.
func TestUnlockedByAnother(t *testing.T) {
	r := NewRegistry()
	watchAll(r)
	m, rw := r.NewMutex("test/mutex"), r.NewRWMutex("test/rwlock")
	for range 100 {
		inGoroutine(func() { m.Lock(); rw.Lock() })
		inGoroutine(func() {
			m.Unlock()
			rw.Unlock()
			if h := m.instance.Load().Holder(); h != 0 {
				t.Errorf("the mutex is held by %+v", h)
			}
			m.Lock()
			h, me := m.instance.Load().Holder(), r.currentID()
			if h != me && HasGoroutineThreads() {
				t.Errorf("the holder is %d, want %d", h, me)
			}
			m.Unlock()
		})
	}
	if h, held := rw.instance.Load().Holding(); held {
		t.Errorf("the rwlock is held by %+v", h)
	}
}

// Whether a goroutine that holds a lock ends by a panic, by Goexit, or never, the lock has the holder that it has, and the thread's record
// is used again.
func TestGoroutinesThatEndWithLocks(t *testing.T) {
	needsGoroutineThreads(t)
	for what, end := range map[string]func(){"panic": func() { panic("test") }, "Goexit": runtime.Goexit} {
		r := NewRegistry()
		watchAll(r)
		m, left := r.NewMutex("test/deferred"), r.NewMutex("test/left")
		run := func(f func()) {
			inGoroutine(func() {
				defer func() { _ = recover() }()
				f()
			})
		}
		const rounds = 200
		for range rounds {
			run(func() {
				m.Lock()
				defer m.Unlock()
				end()
			})
		}
		if h := m.instance.Load().Holder(); h != 0 {
			t.Errorf("%s: the lock is held by %+v", what, h)
		}
		var holder uint64
		run(func() {
			left.Lock()
			holder = r.currentID()
			end()
		})
		for range 10 {
			run(func() { m.Lock(); m.Unlock() })
		}
		if h := left.instance.Load().Holder(); h != holder || holder == 0 {
			t.Errorf("%s: the lock that is left is held by %d, want %d, which has ended with it", what, h, holder)
		}
		r.Reader().Threads() // looks for those that have ended
		if n := len(r.threads.all()); n > 100 {
			t.Errorf("%s: %d records of threads for one at a time", what, n)
		}
		if n := m.instance.Load().Waits().Count; n != rounds+10 {
			t.Errorf("%s: %d waits, want %d", what, n, rounds+10)
		}
	}
}

// Goroutines that are forgotten while they wait are threads that wait, as many as there are, up to the limit.
func TestForgottenGoroutines(t *testing.T) {
	needsGoroutineThreads(t)
	r := NewRegistry()
	watchAll(r)
	const leaked, limit = 300, 200
	r.Setup().SetGoroutineThreads(limit)
	m := r.NewMutex("test/lock")
	m.Lock()
	var ended sync.WaitGroup
	for range leaked {
		ended.Go(func() { m.Lock(); m.Unlock() })
	}
	eventually(t, "all but one of the threads wait", func() bool { return len(r.Reader().LockWaits()) == limit-1 }) // the one that has it is a thread, too
	m.Unlock()
	ended.Wait()
	if n := m.instance.Load().Waits().Count; n != leaked+1 {
		t.Errorf("%d waits, want %d", n, leaked+1)
	}
}

// A program that is started, and ends, while everything is recorded: neither it nor its parent notices.
func TestForkAndExec(t *testing.T) {
	if os.Getenv("INSTR_TEST_CHILD") != "" {
		r := NewRegistry()
		watchAll(r)
		m := r.NewMutex("test/child")
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { m.Lock(); m.Unlock() })
		}
		all.Wait()
		if m.instance.Load().Waits().Count != 10 {
			os.Exit(3)
		}
		os.Exit(0)
	}
	r := NewRegistry()
	watchAll(r)
	m := r.NewMutex("test/parent")
	stop := make(chan bool)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					m.Lock()
					m.Unlock()
				}
			}
		})
	}
	f := must(r.NewFileClass("test/out").Create(filepath.Join(t.TempDir(), "out")))
	for range 5 {
		c := exec.Command(os.Args[0], "-test.run=^TestForkAndExec$")
		c.Env = append(os.Environ(), "INSTR_TEST_CHILD=1")
		c.Stdout, c.Stderr = f, f // by a pipe, as it is no *os.File
		if err := c.Run(); err != nil {
			t.Errorf("the child: %v", err)
		}
	}
	close(stop)
	all.Wait()
	text := must(os.ReadFile(f.Name()))
	check(t, f.Close())
	if strings.Contains(string(text), "FAIL") {
		t.Errorf("the child says %s", text)
	}
}
