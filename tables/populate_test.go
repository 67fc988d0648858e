package tables

import (
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"pfsd/instr"
)

// must is f's result, when f cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// connect returns the two ends of a connection of the classes test/client and test/server,
// both closed with the test.
func connect(t testing.TB, reg *instr.Registry, network, addr string) (listener *instr.Listener, client, server *instr.Conn) {
	t.Helper()
	l := must(reg.Listen(network, addr, "test/listener"))
	l.SetConnClass("test/server")
	accepted := make(chan net.Conn)
	go func() { accepted <- must(l.Accept()) }()
	client = must(reg.Dial(network, l.Addr().String(), "test/client"))
	server = (<-accepted).(*instr.Conn)
	t.Cleanup(func() {
		client.Close()
		server.Close()
		l.Close()
	})
	return l, client, server
}

// populate gives every table rows: n threads that have waited, objects of several classes,
// some of them held.
func populate(t testing.TB, reg *instr.Registry, n int) {
	t.Helper()
	classes := []string{"test/a", "test/b", "test/c"}
	mutexes := make([]*instr.Mutex, 10)
	for i := range mutexes {
		mutexes[i] = keep(t, reg.NewMutex(classes[i%len(classes)]))
	}
	locks := make([]*instr.RWMutex, 10)
	for i := range locks {
		locks[i] = keep(t, reg.NewRWMutex(classes[i%len(classes)]))
		keep(t, reg.NewCond(classes[i%len(classes)], locks[i]))
	}
	reg.Setup().SetConsumer(instr.ConsumerEventsWaitsHistogram, true)
	reg.Setup().SetConsumer(instr.ConsumerEventsWaitsHistogramByInstance, true)
	reg.Setup().SetServerErrors(knownErrors)
	for _, a := range []instr.SetupActor{{Host: "host", User: "nobody", Role: "%", History: true}, {Host: "host", User: "User", Role: "role"}} {
		must(0, reg.Setup().AddActor(a))
	}
	for _, o := range []instr.SetupObject{{Type: instr.ObjectTable, Schema: "test", Name: "a", Enabled: true}, {Type: instr.ObjectTrigger, Schema: "test", Name: "%"}} {
		must(0, reg.Setup().AddObject(o))
	}
	for _, name := range classes {
		meter := reg.NewMeter(name, "What "+name+" does.")
		meter.NewMetric(instr.MetricCounter, name+"/calls", "", "How many calls there were.", func() int64 { return 1 })
	}
	provideErrorLog(reg)
	provideVariables(reg)
	provideHostCache(reg)
	provideServer(reg)
	provideDataLocks(reg)
	keep(t, instr.NewChanIn[int](reg, "test/queue", 2)).Send(1)
	receiveTwice(t, reg)
	keep(t, reg.NewGroup("test/group"))
	keep(t, reg.NewOnce("test/once"))
	pool := reg.NewConnPool("test/pool", "store")
	for range 2 {
		c := pool.Open()
		c.Take()
		t.Cleanup(c.Close)
	}
	t.Cleanup(pool.Open().Close)
	waited, stay := make(chan struct{}), make(chan struct{})
	for range 3 {
		go func() {
			lock(mutexes[0], 1)
			waited <- struct{}{}
			<-stay
		}()
		<-waited
	}
	t.Cleanup(func() { close(stay) })
	dir := t.TempDir()
	var owned []*instr.Conn
	for _, network := range []string{"tcp", "unix"} {
		addr := "127.0.0.1:0"
		if network == "unix" {
			addr = filepath.Join(dir, "socket")
		}
		_, client, server := connect(t, reg, network, addr)
		owned = append(owned, client, server)
	}
	t.Cleanup(func() {
		for i := range 6 {
			mutexes[i].Unlock()
			locks[i].Unlock()
		}
	})
	shared := []*instr.Table{reg.NewTable("test", "t", "PRIMARY", "Name"), reg.NewTable("Test2", "u"), reg.NewTemporaryTable("test", "t", "PRIMARY")}
	threadsIn(t, reg, n, func(i int, th *instr.Thread) {
		if i < 12 {
			useTable(shared[i%len(shared)].Open(th), i)
		}
		if i%3 == 0 {
			th.SetPort(4000 + i)
		}
		doWork(reg, th, i)
		for n := range i % 3 {
			th.Alloc(reg.NewMemoryClass("test/session"), 100*i+n)
			reg.NewMemoryClass("test/rows").Alloc(n)
		}
		th.Free(reg.NewMemoryClass("test/session"), 10)
		reg.NewMemoryClass("test/cache", instr.GlobalStatistics).Alloc(1000)
		for _, name := range []string{"Questions", "Bytes_sent", "Com_select"} {
			reg.NewStatusVariable(name).AddTo(th, uint64(i))
		}
		th.StartStage(reg.NewStageClass("innodb/buffer pool load", true))
		lock(mutexes[6+i%4], 3)
		if i < 6 {
			mutexes[i].Lock()
			locks[i].Lock()
		}
		if i < 8 {
			f := must(reg.NewFileClass(classes[i%len(classes)]).Create(filepath.Join(dir, fmt.Sprintf("File%d", i/2))))
			must(f.WriteString("text"))
			f.Close()
		}
		if i < 4 {
			runStatement(reg, th, fmt.Sprint("test", i%2), fmt.Sprint("SELECT a", i, " FROM t"), 1)
			runStatement(reg, th, "", "SELECT 1", 1)
		}
		if i < 10 {
			openSession(reg, th, i)
		}
		l := reg.NewMetadataLockClass("test/names").NewLock(th)
		l.Request(metadataObjects[i%len(metadataObjects)], instr.MetadataLockType(1+i%11), instr.MetadataLockDuration(i%3))
		if i%2 == 0 {
			l.SetStatus(instr.MetadataGranted)
		}
		t.Cleanup(l.Close)
		if i < len(owned) {
			owned[i].SetOwner(th)
			must(owned[i].Write([]byte("text")))
		}
	})
}

// useTable lets a thread lock a table and write and read rows. It leaves the table open, and every
// other one in use.
func useTable(h *instr.TableHandle, i int) {
	h.Use()
	kind := instr.TableLock(i % int(instr.TableLockCount))
	h.StartLock(kind).End(0)
	h.StartLock(instr.LockWriteExternal).End(0)
	for index := instr.NoIndex; index < len(h.Table().Indexes()); index++ {
		h.StartIO(instr.TableInsert, instr.NoIndex).End(1)
		h.StartIO(instr.TableFetch, index).End(3 + i)
		h.StartIO(instr.TableUpdate, index).End(1)
		h.StartIO(instr.TableDelete, index).End(1)
	}
	if i%2 == 0 {
		h.EndUse()
	}
}

// metadataObjects are what populate's metadata locks are on.
var metadataObjects = []*instr.MetadataObject{
	{Type: "TABLE", Schema: "test", Name: "a"}, {Type: "GLOBAL"}, {Type: "SCHEMA", Schema: "test"}, {Type: "USER LEVEL LOCK", Name: "a"},
	{Type: "COLUMN STATISTICS", Schema: "test", Name: "a", Column: "x"}, {Type: "COLUMN STATISTICS", Schema: "test", Name: "a", Column: "y"},
	{Type: "TABLE", Schema: "test", Name: "b"},
}

// openSession lets a thread prepare statements and set variables and attributes.
func openSession(reg *instr.Registry, th *instr.Thread, i int) {
	class := reg.NewStatementClass("sql/prepare_sql")
	for n := range 3 {
		s := th.StartStatement(class)
		if (n+i)%3 == 2 {
			s.SetObject("PROCEDURE", fmt.Sprint("test", i%2), fmt.Sprint("p", i%3))
		}
		p := th.Prepare(instr.PreparedOptions{StatementID: uint64(n + 1), Name: []string{"", "A", "b"}[(n+i)%3], SQLText: "SELECT ?"})
		s.End()
		s = th.StartStatement(class)
		th.Execute(p)
		s.Add(instr.RowsSent, uint64(n))
		s.End()
		th.SetUserVariable([]string{"x", "Y", "z"}[n], fmt.Sprint(i))
	}
	th.SetConnectAttrs([]instr.ConnectAttr{{Name: "_client_name", Value: "test"}, {Name: "program_name", Value: fmt.Sprint(i)}})
}

// provideVariables provides the variables of an imaginary server.
func provideVariables(reg *instr.Registry) {
	names := []string{"autocommit", "max_connections", "sql_mode"}
	Provide(Of(reg), func(key Key) (rows []GlobalVariableRow) {
		for _, name := range names {
			if key.allows("VARIABLE_NAME", Text(name)) {
				rows = append(rows, GlobalVariableRow{name, "global"})
			}
		}
		return rows
	})
	Provide(Of(reg), func(key Key) (rows []SessionVariableRow) {
		for _, name := range names {
			if key.allows("VARIABLE_NAME", Text(name)) {
				rows = append(rows, SessionVariableRow{name, "session"})
			}
		}
		return rows
	})
	Provide(Of(reg), func(key Key) (rows []PersistedVariableRow) {
		for _, name := range names {
			if key.allows("VARIABLE_NAME", Text(name)) {
				rows = append(rows, PersistedVariableRow{name, "persisted"})
			}
		}
		return rows
	})
	Provide(Of(reg), func(key Key) (rows []ThreadVariableRow) {
		for i := range 9 {
			r := ThreadVariableRow{uint64(1 + i/3), names[i%3], "session"}
			if key.allows("THREAD_ID", Uint(r.Thread)) && key.allows("VARIABLE_NAME", Text(r.Name)) {
				rows = append(rows, r)
			}
		}
		return rows
	})
	Provide(Of(reg), func(Key) []VariableMetadataRow {
		return []VariableMetadataRow{{Name: "port", Scope: "GLOBAL", Type: "Integer"}}
	})
	Provide(Of(reg), func(Key) []SetupLoggerRow {
		return []SetupLoggerRow{{Name: "logger/error/error_log", Level: "info", Set: func(string) {}}}
	})
	Provide(Of(reg), func(Key) (rows []VariableInfoRow) {
		for _, name := range names {
			rows = append(rows, VariableInfoRow{Name: name, Source: "COMPILED", Min: "0", Max: "0"})
		}
		return append(rows, VariableInfoRow{"port", "DYNAMIC", "/my.cnf", "0", "65535", time.UnixMicro(1), "root", "localhost"})
	})
}

// receiveTwice has two threads wait for a channel until the test ends.
func receiveTwice(t testing.TB, reg *instr.Registry) {
	c := keep(t, instr.NewChanIn[int](reg, "test/empty", 3))
	var ended sync.WaitGroup
	for range 2 {
		ended.Go(func() {
			defer reg.Attach("test/background").Detach()
			c.Receive()
		})
	}
	t.Cleanup(func() {
		c.Close()
		ended.Wait()
	})
	model := Of(reg)
	for waiting := 0; waiting < 2; runtime.Gosched() {
		waiting = 0
		of := model.SynchWaits()
		for _, thread := range model.Threads() {
			if _, ok := of(thread); ok {
				waiting++
			}
		}
	}
}
