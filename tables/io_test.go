package tables

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"pfsd/instr"
)

const segment = "wait/io/file/test/segment"

// fileWork creates a file, writes 10 + 20 bytes, reads 7, syncs and closes: 6 operations.
func fileWork(reg *instr.Registry, name string) {
	f := must(reg.NewFileClass("test/segment").Create(name))
	must(f.Write(make([]byte, 10)))
	must(f.Write(make([]byte, 20)))
	must(f.ReadAt(make([]byte, 7), 0))
	if err := f.Sync(); err != nil {
		panic(err)
	}
	f.Close()
}

var fileWorkCounts = row{
	"COUNT_STAR": "6", "COUNT_READ": "1", "SUM_NUMBER_OF_BYTES_READ": "7",
	"COUNT_WRITE": "2", "SUM_NUMBER_OF_BYTES_WRITE": "30", "COUNT_MISC": "3",
}

var noCounts = row{
	"COUNT_STAR": "0", "COUNT_READ": "0", "SUM_NUMBER_OF_BYTES_READ": "0",
	"COUNT_WRITE": "0", "SUM_NUMBER_OF_BYTES_WRITE": "0", "COUNT_MISC": "0",
}

func TestFiles(t *testing.T) {
	reg := watched()
	th := reg.Attach("test/worker")
	defer th.Detach()
	name := filepath.Join(t.TempDir(), "000001.seg")
	fileWork(reg, name)

	expect(t, one(t, reg, "file_instances"), row{"FILE_NAME": name, "EVENT_NAME": segment, "OPEN_COUNT": "0"})
	instance := one(t, reg, "file_summary_by_instance", is("FILE_NAME", name))
	expect(t, instance, fileWorkCounts)
	expect(t, instance, row{"EVENT_NAME": segment})
	expect(t, one(t, reg, "file_summary_by_event_name"), fileWorkCounts)
	for _, what := range []string{"WAIT", "READ", "WRITE", "MISC"} {
		sum, low, high := numberIn(t, instance, "SUM_TIMER_"+what), numberIn(t, instance, "MIN_TIMER_"+what), numberIn(t, instance, "MAX_TIMER_"+what)
		if avg := numberIn(t, instance, "AVG_TIMER_"+what); low == 0 || low > avg || avg > high || high > sum {
			t.Errorf("%s: sum %d, min %d, avg %d, max %d", what, sum, low, avg, high)
		}
	}
	for _, table := range []string{"events_waits_summary_by_instance", "events_waits_summary_by_thread_by_event_name", "events_waits_summary_global_by_event_name"} {
		expect(t, one(t, reg, table, is("EVENT_NAME", segment)), row{"COUNT_STAR": "6"})
	}

	history := rows(t, reg, "events_waits_history")
	want := []struct{ operation, bytes string }{{"create", "NULL"}, {"write", "10"}, {"write", "20"}, {"read", "7"}, {"sync", "NULL"}, {"close", "NULL"}}
	if len(history) != len(want) {
		t.Fatalf("%d events, want %d", len(history), len(want))
	}
	for i, r := range history {
		expect(t, r, row{
			"OPERATION": want[i].operation, "NUMBER_OF_BYTES": want[i].bytes, "OBJECT_TYPE": "FILE", "OBJECT_NAME": name,
			"OBJECT_INSTANCE_BEGIN": instance["OBJECT_INSTANCE_BEGIN"], "OBJECT_SCHEMA": "NULL", "INDEX_NAME": "NULL",
		})
	}

	// A deleted file has no row, but still counts in the totals.
	if err := reg.NewFileClass("test/segment").Remove(name); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"file_instances", "file_summary_by_instance", "events_waits_summary_by_instance"} {
		if n := len(rows(t, reg, table)); n != 0 {
			t.Errorf("%s: %d rows, want none", table, n)
		}
	}
	expect(t, one(t, reg, "file_summary_by_event_name"), row{"COUNT_STAR": "7", "COUNT_MISC": "4", "SUM_NUMBER_OF_BYTES_WRITE": "30"})
	expect(t, one(t, reg, "events_waits_history", number("EVENT_ID", 1)), row{"OBJECT_NAME": "NULL", "OBJECT_TYPE": "FILE"})
}

func TestOpenFilesAreCounted(t *testing.T) {
	reg := watched()
	name := filepath.Join(t.TempDir(), "f")
	c := reg.NewFileClass("test/segment")
	f, g := must(c.Create(name)), must(c.Open(name))
	expect(t, one(t, reg, "file_instances"), row{"OPEN_COUNT": "2"})
	f.Close()
	expect(t, one(t, reg, "file_instances"), row{"OPEN_COUNT": "1"})
	if err := c.Rename(name, name+"2"); err != nil {
		t.Fatal(err)
	}
	expect(t, one(t, reg, "file_instances"), row{"FILE_NAME": name + "2", "OPEN_COUNT": "1"})
	g.Close()
	expect(t, one(t, reg, "file_instances"), row{"OPEN_COUNT": "0"})
}

func TestTruncateFileSummaries(t *testing.T) {
	// What a deleted file has counted stays in the class.
	ofDeleted := row{"COUNT_STAR": "7", "COUNT_WRITE": "2"}
	for table, class := range map[string]row{
		"file_summary_by_instance": ofDeleted, "events_waits_summary_by_instance": ofDeleted, "file_summary_by_event_name": noCounts,
	} {
		reg := watched()
		th := reg.Attach("test/worker")
		name := filepath.Join(t.TempDir(), "f")
		fileWork(reg, name)
		gone := filepath.Join(t.TempDir(), "gone")
		fileWork(reg, gone)
		must(0, reg.NewFileClass("test/segment").Remove(gone))
		tableNamed(t, table).Truncate(Of(reg))
		expect(t, one(t, reg, "file_summary_by_instance", is("FILE_NAME", name)), noCounts)
		expect(t, one(t, reg, "file_summary_by_event_name"), class)
		expect(t, one(t, reg, "events_waits_summary_by_thread_by_event_name", is("EVENT_NAME", segment)), row{"COUNT_STAR": "13"})
		th.Detach()
	}
}

func TestSockets(t *testing.T) {
	reg := watched()
	th := reg.Attach("test/worker")
	defer th.Detach()
	l, client, server := connect(t, reg, "tcp", "127.0.0.1:0")
	must(client.Write(make([]byte, 11)))
	must(io.ReadFull(server, make([]byte, 11)))
	server.SetOwner(th)
	server.SetIdle(true)

	const prefix = "wait/io/socket/test/"
	port := strconv.Itoa(l.Instance().Port())
	expect(t, one(t, reg, "socket_instances", is("EVENT_NAME", prefix+"listener")), row{"IP": "127.0.0.1", "PORT": port, "STATE": "ACTIVE"})
	expect(t, one(t, reg, "socket_instances", is("EVENT_NAME", prefix+"client")), row{"IP": "127.0.0.1", "PORT": port, "STATE": "ACTIVE"})
	expect(t, one(t, reg, "socket_instances", number("OBJECT_INSTANCE_BEGIN", server.Instance().ID())), row{
		"EVENT_NAME": prefix + "server", "THREAD_ID": text(Uint(th.ID())), "STATE": "IDLE", "IP": "127.0.0.1",
		"SOCKET_ID": strconv.Itoa(server.Instance().FD()), "PORT": strconv.Itoa(server.Instance().Port()),
	})
	server.SetOwner(nil)
	expect(t, one(t, reg, "socket_instances", is("EVENT_NAME", prefix+"server")), row{"THREAD_ID": "NULL"})
	for _, table := range []string{"socket_summary_by_instance", "socket_summary_by_event_name"} {
		expect(t, one(t, reg, table, is("EVENT_NAME", prefix+"client")), row{"COUNT_WRITE": "1", "SUM_NUMBER_OF_BYTES_WRITE": "11", "COUNT_READ": "0"})
		expect(t, one(t, reg, table, is("EVENT_NAME", prefix+"server")), row{"COUNT_READ": "1", "SUM_NUMBER_OF_BYTES_READ": "11", "COUNT_WRITE": "0"})
	}
	sent := rows(t, reg, "events_waits_history_long", is("OPERATION", "send"))
	if len(sent) != 1 {
		t.Fatalf("%d events of sending", len(sent))
	}
	expect(t, sent[0], row{"OBJECT_TYPE": "SOCKET", "OBJECT_NAME": "127.0.0.1:" + port, "NUMBER_OF_BYTES": "11", "EVENT_NAME": prefix + "client"})

	// A closed socket has no row, but still counts in the totals.
	client.Close()
	if n := len(rows(t, reg, "socket_instances", is("EVENT_NAME", prefix+"client"))); n != 0 {
		t.Errorf("%d rows of a closed socket", n)
	}
	expect(t, one(t, reg, "socket_summary_by_event_name", is("EVENT_NAME", prefix+"client")), row{"COUNT_WRITE": "1"})
	tableNamed(t, "socket_summary_by_instance").Truncate(Of(reg))
	expect(t, one(t, reg, "socket_summary_by_instance", is("EVENT_NAME", prefix+"server")), noCounts)
	expect(t, one(t, reg, "socket_summary_by_event_name", is("EVENT_NAME", prefix+"client")), row{"COUNT_WRITE": "1"})
	tableNamed(t, "socket_summary_by_event_name").Truncate(Of(reg))
	expect(t, one(t, reg, "socket_summary_by_event_name", is("EVENT_NAME", prefix+"client")), noCounts)
}

func TestUnixSockets(t *testing.T) {
	reg := watched()
	connect(t, reg, "unix", filepath.Join(t.TempDir(), "s"))
	for _, r := range rows(t, reg, "socket_instances") {
		expect(t, r, row{"IP": "", "PORT": "0"})
	}
}

func TestIdle(t *testing.T) {
	reg := watched()
	th := reg.Attach("test/worker")
	defer th.Detach()
	w := th.StartIdle()
	expect(t, one(t, reg, "events_waits_current"), row{"EVENT_NAME": "idle", "OPERATION": "idle", "END_EVENT_ID": "NULL", "OBJECT_INSTANCE_BEGIN": "0", "NESTING_EVENT_ID": "NULL", "OBJECT_TYPE": "NULL"})
	w.End()
	for _, table := range []string{"events_waits_summary_by_thread_by_event_name", "events_waits_summary_global_by_event_name"} {
		expect(t, one(t, reg, table, is("EVENT_NAME", "idle")), row{"COUNT_STAR": "1"})
	}
	if n := len(rows(t, reg, "events_waits_summary_by_instance", is("EVENT_NAME", "idle"))); n != 0 {
		t.Errorf("%d instances of idle", n)
	}
}

// Files that are opened by relative names are shown by their absolute ones.
func TestFileNamesAreAbsolute(t *testing.T) {
	reg := watched()
	dir := t.TempDir()
	t.Chdir(dir)
	fileWork(reg, "f")
	wd := must(os.Getwd())
	expect(t, one(t, reg, "file_instances"), row{"FILE_NAME": filepath.Join(wd, "f")})
}
