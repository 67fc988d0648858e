package tables

import (
	"slices"
	"testing"

	"pfsd/instr"
)

// recording is the model of another process with one thread and one mutex. Everything else,
// including the instruments, is that of an empty registry.
type recording struct {
	Model
	mutex *recordedMutex
	owner *recordedThread
}

// recordedThread is a thread that waits for the mutex.
type recordedThread struct {
	Thread // none: it has nothing but what stands here
	mutex  *recordedMutex
}

func (*recordedThread) ID() uint64 { return 17 }

func (t *recordedThread) Snapshot() (instr.ThreadInfo, bool) {
	return instr.ThreadInfo{ID: 17, Name: "thread/main/main.serve", Goroutine: 4711}, true
}

func (t *recordedThread) CurrentWaits(to []instr.WaitEvent) []instr.WaitEvent {
	return append(to, instr.WaitEvent{
		EventHead: instr.EventHead{ThreadID: 17, ID: 3, Class: t.mutex.class}, Op: instr.OpLock, Object: t.mutex.ID(),
	})
}

type recordedMutex struct{ class *instr.Class }

func (*recordedMutex) ID() uint64            { return 64 }
func (m *recordedMutex) Class() *instr.Class { return m.class }
func (*recordedMutex) Waits() instr.Stat     { return instr.Stat{Count: 5} }
func (*recordedMutex) Holder() uint64        { return 23 }
func (*recordedMutex) Holds() instr.Stat     { return instr.NoStat }
func (*recordedMutex) Holding() (instr.Holding, bool) {
	return instr.Holding{Holder: 23, Source: "recorded.go:1"}, true
}

func (r *recording) Threads() []Thread                    { return []Thread{r.owner} }
func (r *recording) ThreadsOf(instr.ActorFilter) []Thread { return r.Threads() }
func (r *recording) ThreadCount() int                     { return 1 }
func (r *recording) Instances(c *instr.Class) (all []Instance) {
	if c == r.mutex.class {
		all = append(all, r.mutex)
	}
	return all
}

// The tables show another implementation of the model just as they show this process.
func TestTablesOfARecording(t *testing.T) {
	reg := instr.NewRegistry()
	reg.NewMutex("main/cache")
	mutex := &recordedMutex{reg.Reader().ClassByName("wait/synch/mutex/main/cache")}
	r := &recording{Of(reg), mutex, &recordedThread{mutex: mutex}}
	for _, c := range []struct {
		table   string
		columns []string
		want    string
	}{
		{"threads", []string{"THREAD_ID", "NAME", "THREAD_OS_ID"}, "17 thread/main/main.serve 4711"},
		{"mutex_instances", []string{"NAME", "OBJECT_INSTANCE_BEGIN", "LOCKED_BY_THREAD_ID"}, "wait/synch/mutex/main/cache 64 23"},
		{"events_waits_current", []string{"THREAD_ID", "EVENT_ID", "EVENT_NAME", "OPERATION", "OBJECT_INSTANCE_BEGIN"}, "17 3 wait/synch/mutex/main/cache lock 64"},
	} {
		tb := tableNamed(t, c.table)
		var cols []int
		for _, name := range c.columns {
			cols = append(cols, slices.IndexFunc(tb.Columns(), func(i ColumnInfo) bool { return i.Name == name }))
		}
		var rows []string
		values := make([]Value, len(cols))
		for cursor := tb.Scan(r, cols, nil); cursor.Next(values); {
			row := ""
			for i, v := range values {
				if i > 0 {
					row += " "
				}
				row += text(v)
			}
			rows = append(rows, row)
		}
		if !slices.Equal(rows, []string{c.want}) {
			t.Errorf("%s has %q, want %q", c.table, rows, c.want)
		}
	}
}
