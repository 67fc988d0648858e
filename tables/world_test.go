package tables

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pfsd/instr"
)

// watched returns a registry in which every instrument and every consumer of events is on.
func watched(patterns ...string) *instr.Registry {
	reg := instr.NewRegistry()
	reg.Setup().AddPattern("%", instr.PatternOn)
	for _, p := range patterns {
		reg.Setup().AddPattern(p, instr.PatternOff)
	}
	for c := range instr.ConsumerCount {
		if name := c.String(); strings.Contains(name, "_current") || strings.Contains(name, "_history") {
			reg.Setup().SetConsumer(c, true)
		}
	}
	return reg
}

// accounts are the accounts of the connections of threadsIn: they differ by the case of a letter or
// by the host, and one has not logged in.
var accounts = []instr.Account{{User: "user", Host: "host"}, {User: "User", Host: "host"}, {User: "user", Host: "Other"}, {}}

// threadsIn starts n goroutines that are threads of reg, and returns when each has done
// work; they end with the test.
func threadsIn(t testing.TB, reg *instr.Registry, n int, work func(i int, th *instr.Thread)) {
	t.Helper()
	var worked, ended sync.WaitGroup
	stop := make(chan struct{})
	worked.Add(n)
	for i := range n {
		ended.Go(func() {
			var th *instr.Thread
			if i%2 == 0 {
				th = reg.Attach("test/background")
			} else {
				th = reg.AttachConnection("sql/one_connection", uint64(i))
				if a := accounts[i/2%len(accounts)]; a.User != "" {
					th.SetAccount(a.User, a.Host)
				}
			}
			defer th.Detach()
			work(i, th)
			worked.Done()
			<-stop
		})
	}
	worked.Wait()
	t.Cleanup(func() {
		close(stop)
		ended.Wait()
	})
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// keep keeps an object, and with it its rows, until the end of the test.
func keep[T any](t testing.TB, object *T) *T {
	t.Cleanup(func() { runtime.KeepAlive(object) })
	return object
}

// lock locks and unlocks m some times.
func lock(m *instr.Mutex, times int) {
	for range times {
		m.Lock()
		m.Unlock()
	}
}
