package tables

import (
	"sync"
	"testing"
)

func TestMutexInstances(t *testing.T) {
	reg := watched()
	m, free := keep(t, reg.NewMutex("test/a")), keep(t, reg.NewMutex("test/b"))
	th := reg.Attach("test/worker")
	m.Lock()
	expect(t, one(t, reg, "mutex_instances", is("NAME", mutexA)), row{"LOCKED_BY_THREAD_ID": text(Uint(th.ID()))})
	expect(t, one(t, reg, "mutex_instances", is("NAME", mutexB)), row{"LOCKED_BY_THREAD_ID": "NULL"})
	expect(t, one(t, reg, "mutex_instances", number("LOCKED_BY_THREAD_ID", th.ID())), row{"NAME": mutexA})
	m.Unlock()
	expect(t, one(t, reg, "mutex_instances", is("NAME", mutexA)), row{"LOCKED_BY_THREAD_ID": "NULL"})
	th.Detach()
	free.Lock()
	if holder := numberIn(t, one(t, reg, "mutex_instances", is("NAME", mutexB)), "LOCKED_BY_THREAD_ID"); holder <= 1<<63 {
		t.Errorf("the holder that is no thread is %d", holder)
	}
	free.Unlock()
}

func TestRWLockInstances(t *testing.T) {
	reg := watched()
	m := keep(t, reg.NewRWMutex("test/a"))
	th := reg.Attach("test/worker")
	defer th.Detach()
	const name = "wait/synch/rwlock/test/a"
	state := func(writer, readers string) {
		t.Helper()
		expect(t, one(t, reg, "rwlock_instances"), row{"NAME": name, "WRITE_LOCKED_BY_THREAD_ID": writer, "READ_LOCKED_BY_COUNT": readers})
	}
	state("NULL", "0")
	m.Lock()
	state(text(Uint(th.ID())), "0")
	m.Unlock()
	m.RLock()
	m.RLock()
	state("NULL", "2")
	m.RUnlock()
	state("NULL", "1")
	m.RUnlock()
	state("NULL", "0")
	for i, operation := range []string{"write_lock", "read_lock", "read_lock"} {
		expect(t, rows(t, reg, "events_waits_history")[i], row{"EVENT_NAME": name, "OPERATION": operation, "OBJECT_TYPE": "NULL"})
	}
	expect(t, one(t, reg, "events_waits_summary_by_instance"), row{"EVENT_NAME": name, "COUNT_STAR": "3"})
}

func TestCondInstances(t *testing.T) {
	reg := watched("wait/synch/mutex/%")
	m := keep(t, reg.NewMutex("test/a"))
	c := keep(t, reg.NewCond("test/a", m))
	const name = "wait/synch/cond/test/a"
	expect(t, one(t, reg, "cond_instances"), row{"NAME": name})
	var waiter sync.WaitGroup
	waiter.Go(func() {
		defer reg.Attach("test/waiter").Detach()
		m.Lock()
		c.Wait()
		m.Unlock()
	})
	eventually(t, "the wait", func() bool { return len(rows(t, reg, "events_waits_current")) == 1 })
	expect(t, one(t, reg, "events_waits_current"), row{
		"EVENT_NAME": name, "OPERATION": "wait", "END_EVENT_ID": "NULL", "OBJECT_TYPE": "NULL",
		"OBJECT_INSTANCE_BEGIN": one(t, reg, "cond_instances")["OBJECT_INSTANCE_BEGIN"],
	})
	m.Lock() // the waiter waits: it has let go of the mutex
	c.Signal()
	m.Unlock()
	waiter.Wait()
	expect(t, one(t, reg, "events_waits_summary_by_instance", is("EVENT_NAME", name)), row{"COUNT_STAR": "1"})
	expect(t, one(t, reg, "events_waits_summary_global_by_event_name", is("EVENT_NAME", name)), row{"COUNT_STAR": "1"})
}
