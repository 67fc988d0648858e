package weave

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pfsd/instr/record"
)

//go:embed recorder/*.txt
var recorder embed.FS

// woven makes the files that an overlay replaces and adds, by their paths below src.
type woven struct {
	src       string
	goVersion string
	overlay   string // its name, which depends on the distribution and on the generator
	files     map[string][]byte
}

// all makes all files.
func (w *woven) all() error {
	w.files = map[string][]byte{}
	for _, step := range []func() error{w.scheduler, w.semaphores, w.channels, w.mutexes, w.conditions, w.descriptors, w.systemCalls, w.names, w.requests, w.queries, w.buildInformation} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (w *woven) save(files ...*file) error {
	for _, f := range files {
		text, err := f.changed()
		if err != nil {
			return err
		}
		w.files[f.name] = text
	}
	return nil
}

// add adds a file of the recorder.
func (w *woven) add(name, from string, replace ...string) {
	text, err := recorder.ReadFile("recorder/" + from)
	if err != nil {
		panic(err) // it is embedded
	}
	w.files[name] = []byte(strings.NewReplacer(replace...).Replace(string(text)))
}

// layout adds the layout of recordings as a file of another package.
func (w *woven) layout(name, pkg string) {
	w.files[name] = []byte(strings.Replace(record.Layout, "package record", "package "+pkg, 1))
}

// scheduler changes where goroutines park, begin and end, and adds the recorder.
func (w *woven) scheduler() error {
	g := open(w.src, "runtime/runtime2.go")
	g.field("g", "rec recG")

	p := open(w.src, "runtime/proc.go")
	p.start("gopark", "if recOn { recPark(reason, lock) }")
	p.around("gopark", "mcall(park_m)", "", "if recOn { recWoken() }", false)
	p.around("newproc1", "return newg", "if recOn { recNewG(newg, callergp) }", "", true)
	p.start("gdestroy", "if recOn { recEndG(gp) }")
	p.around("casgstatus", "sched.timeToRun.record(gp.runnableTime)", "", "recCount(recScheduler, gp.runnableTime)", false)
	p.start("stopTheWorldWithSema", "recStopped = nanotime()")
	p.around("startTheWorldWithSema", "wakep()", "recStarted(w.reason.isGC())", "", false)
	p.start("internal_sync_runtime_doSpin", "getg().rec.spins++")
	p.around("allgadd", "unlock(&allglock)", "gp.rec.slot = uint32(len(allgs)); if recOn { recGrow(gp.rec.slot) }", "", false)
	p.around("main", "doInit(runtime_inittasks)", "recInit()", "", false)
	p.around("sysmon", "sleep := forcegcperiod / 2", "", "if recOn { sleep = min(sleep, recSecond) }", false)
	p.around("sysmon", "lock(&sched.sysmonlock)", "if recOn { recMonitor() }", "", false)
	p.start("syscall_runtime_BeforeExec", "recLast()")
	p.start("procresize", "if recOn { recResize(nprocs) }")
	ends, err := w.ends(p)
	if err != nil {
		return err
	}

	// The package of the raw system call has another path in older versions of Go.
	raw := "internal/runtime/syscall/linux"
	if _, err := os.Stat(filepath.Join(w.src, raw)); err != nil {
		raw = "internal/runtime/syscall"
	}
	roots, err := w.roots()
	if err != nil {
		return err
	}
	w.add("runtime/zpfsd.go", "runtime.go.txt", "@SYSCALL@", raw, "@STD@", roots, "@GOVERSION@", w.goVersion, "@OVERLAY@", w.overlay)
	w.add("runtime/zpfsd_stacks.go", "stacks.go.txt")
	w.add("runtime/zpfsd_work.go", "work.go.txt")
	w.add("runtime/zpfsd_thread_waits.go", "thread_waits.go.txt")
	w.add("runtime/zpfsd_times.go", "times.go.txt")
	w.add("runtime/zpfsd_holds.go", "holds.go.txt")
	w.add("runtime/zpfsd_locks.go", "locks.go.txt")
	w.add("runtime/zpfsd_spare.go", "spare.go.txt")
	w.add("runtime/zpfsd_conns.go", "conns.go.txt")
	w.add("runtime/zpfsd_procs.go", "procs.go.txt")
	w.add("runtime/zpfsd_waited.go", "waited.go.txt")
	w.layout("runtime/zpfsd_layout.go", "runtime")
	for _, arch := range Architectures {
		w.add("runtime/zpfsd_linux_"+arch+".go", "numbers_linux_"+arch+".go.txt")
		w.files["runtime/zpfsd_calls_linux_"+arch+".go"] = callNumbers(arch)
	}
	w.add("runtime/zpfsd_fast_linux_amd64.s", "fast_linux_amd64.s.txt")
	return w.save(append(ends, g, p)...)
}

// roots returns the top-level directories of the standard library, which are the first parts of its
// packages' paths.
func (w *woven) roots() (string, error) {
	entries, err := os.ReadDir(w.src)
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " "), err
}

// semaphores changes the places where semaphores are acquired. A mutex's semaphore also tells who
// holds the mutex.
func (w *woven) semaphores() error {
	f := open(w.src, "runtime/sema.go")
	f.around("semacquire1", "gp := getg()", "", "gp.rec.sema = uint64(uintptr(unsafe.Pointer(addr)))", false)
	f.start("notifyListAdd", "if recOn { recAsks(l) }")
	f.start("notifyListWait", "getg().rec.sema = uint64(uintptr(unsafe.Pointer(l)))")
	f.replace("semacquire1", "cansemacquire(addr)", "recSemaphore(addr, reason == waitReasonSyncMutexLock)")
	f.replace("semrelease1", "cansemacquire(addr)", "recSemaphore(addr, true)") // only mutexes are handed over
	return w.save(f)
}

// mutexes changes sync.Mutex, and the readers of sync.RWMutex. It also checks places that it does not change but that the recorder
// relies on: the semaphores in Mutex and RWMutex.
func (w *woven) mutexes() error {
	f := open(w.src, "internal/sync/mutex.go")
	f.fields("Mutex", "state int32", "sema uint32")
	f.around("Lock", "return", "m.recHold()", "", false)
	f.around("TryLock", "return true", "m.recTry(old)", "", false)
	f.start("lockSlow", "recToken := runtime_recLockBegin(m.recAddress())")
	f.around("lockSlow", "runtime_SemacquireMutex(&m.sema, queueLifo, 2)", "runtime_recLockWait(recToken, m.recAddress())", "", false)
	f.last("lockSlow", "runtime_recLockEnd(recToken, m.recAddress())")
	f.start("Unlock", "m.recRelease()")
	f.start("unlockSlow", "runtime_recReleased(m.recAddress())")
	w.add("internal/sync/zpfsd.go", "sync.go.txt")

	rw := open(w.src, "sync/rwmutex.go")
	rw.fields("RWMutex", "w Mutex", "writerSem uint32", "readerSem uint32", "readerCount atomic.Int32", "readerWait atomic.Int32")
	rw.last("RLock", "rw.recRead()")
	rw.around("TryRLock", "return true", "rw.recRead()", "", false)
	rw.start("RUnlock", "rw.recUnread()")
	rw.replace("rUnlockSlow", "rw.readerWait.Add(-1)", "rw.recLeft()")
	rw.around("RWMutex.Unlock", "runtime_Semrelease(&rw.readerSem, false, 0)", "rw.recGave(i)", "", false)
	w.add("sync/zpfsd.go", "rwmutex.go.txt")
	mu := open(w.src, "sync/mutex.go")
	mu.fields("Mutex", "_ noCopy", "mu isync.Mutex")
	if mu.err != nil {
		return mu.err
	}
	wg := open(w.src, "sync/waitgroup.go")
	wg.fields("WaitGroup", "noCopy noCopy", "state atomic.Uint64", "sema uint32")
	wg.field("WaitGroup", "recRow uint16") // the runtime finds it behind sema; there is room
	wg.beforeIf("WaitGroup.Add", "v > 0 || w == 0", "if w != 0 { wg.recChanged() }")
	if bytes.Contains(wg.text, []byte("func (wg *WaitGroup) Go(")) { // since Go 1.25
		wg.around("WaitGroup.Go", "f()", "wg.recMember()", "", false)
		w.add("sync/zpfsd_waitgroup.go", "waitgroup.go.txt")
	}
	return w.save(f, rw, wg)
}

// operation describes a method of poll.FD: what it does, the kind of a descriptor that has no name,
// and which of a file's statistics counts it: reads, writes, or all others.
type operation struct {
	op, kind string
	column   int
}

// Of RawRead and RawWrite, which call functions of the program, only the waits are operations: the functions make system calls of their own.
var operations = map[string]operation{
	"Read":          {"recRead", "recFileIO", 0},
	"Pread":         {"recRead", "recFileIO", 0},
	"ReadFrom":      {"recReceiveFrom", "recSocketIO", 0},
	"ReadFromInet4": {"recReceiveFrom", "recSocketIO", 0},
	"ReadFromInet6": {"recReceiveFrom", "recSocketIO", 0},
	"ReadMsg":       {"recReceiveFrom", "recSocketIO", 0},
	"ReadMsgInet4":  {"recReceiveFrom", "recSocketIO", 0},
	"ReadMsgInet6":  {"recReceiveFrom", "recSocketIO", 0},
	"ReadDirent":    {"recReadDir", "recFileIO", 2},
	"Write":         {"recWrite", "recFileIO", 1},
	"Pwrite":        {"recWrite", "recFileIO", 1},
	"WriteTo":       {"recSendTo", "recSocketIO", 1},
	"WriteToInet4":  {"recSendTo", "recSocketIO", 1},
	"WriteToInet6":  {"recSendTo", "recSocketIO", 1},
	"WriteMsg":      {"recSendTo", "recSocketIO", 1},
	"WriteMsgInet4": {"recSendTo", "recSocketIO", 1},
	"WriteMsgInet6": {"recSendTo", "recSocketIO", 1},
	"WriteOnce":     {"recWrite", "recFileIO", 1},
	"Writev":        {"recWrite", "recSocketIO", 1},
	"Accept":        {"recAccept", "recSocketIO", 2},
	"Fsync":         {"recSync", "recFileIO", 2},
	"Ftruncate":     {"recChangeSize", "recFileIO", 2},
	"Fstat":         {"recStatFile", "recFileIO", 2},
	"Seek":          {"recSeek", "recFileIO", 2},
	"WaitWrite":     {"recConnect", "recSocketIO", 2},
	"Close":         {"recCloseFile", "recFileIO", 2},
	"Shutdown":      {"recShutdown", "recSocketIO", 2},
}

// A transfer is a function of internal/poll that moves bytes between two descriptors, or between one and a pipe: of which of them it is an
// operation, and, if it is not "", from which file the bytes come, which only counts them.
type transfer struct {
	operation
	fd, from string
}

var transfers = map[string]transfer{
	"spliceDrain":   {operation{"recRead", "recSocketIO", 0}, "a1.Sysfd", ""},
	"splicePump":    {operation{"recWrite", "recSocketIO", 1}, "a0.Sysfd", ""},
	"sendFile":      {operation{"recWrite", "recSocketIO", 1}, "a0.Sysfd", "a1"},
	"copyFileRange": {operation{"recWrite", "recFileIO", 1}, "a0.Sysfd", "a1.Sysfd"},
}

// otherPolls are the exported functions of internal/poll, and the methods of FD, that are not recorded themselves, by the reason.
var otherPolls = map[string]string{
	"what they call is recorded":                         "CopyFileRange SendFile Splice",
	"their waits are recorded":                           "RawRead RawWrite",
	"they make or change a descriptor, and move no data": "Dup DupCloseOnExec Fchdir Fchmod Fchown Init RawControl SetBlocking SetDeadline SetReadDeadline SetWriteDeadline",
	"they say what a descriptor is":                      "Fstatat GetsockoptInt IsPollDescriptor",
}

// descriptors renames methods of poll.FD, and adds wrappers under the old names.
func (w *woven) descriptors() error {
	text, err := recorder.ReadFile("recorder/poll.go.txt")
	if err != nil {
		return err
	}
	out := bytes.NewBuffer(text)
	found := 0
	for _, name := range []string{"fd_unix.go", "fd_posix.go", "fd_fsync_posix.go", "fd_unixjs.go", "writev.go", "splice_linux.go", "sendfile_unix.go", "copy_file_range_unix.go"} {
		f := open(w.src, "internal/poll/"+name)
		if f.err != nil {
			return f.err
		}
		for _, d := range f.tree.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fd.Recv == nil {
				if of, ok := transfers[fd.Name.Name]; ok {
					found++
					f.rename(fd, "rec_"+fd.Name.Name)
					wrapper(out, f, fd, of)
				}
			} else if op, ok := operations[fd.Name.Name]; ok && f.source(fd.Recv.List[0].Type) == "*FD" {
				found++
				f.rename(fd, "rec_"+fd.Name.Name)
				wrapper(out, f, fd, transfer{op, "fd.Sysfd", ""})
			}
		}
		if name == "fd_unix.go" {
			f.start("destroy", "runtime_recClosed(fd.Sysfd)")
			f.replace("RawRead", "fd.pd.waitRead(fd.isFile)", "fd.recWaitRead()")
			f.replace("RawWrite", "fd.pd.waitWrite(fd.isFile)", "fd.recWaitWrite()")
		}
		if err := w.save(f); err != nil {
			return err
		}
	}
	if all := len(operations) + len(transfers); found != all {
		return fmt.Errorf("internal/poll: FD has %d of the %d methods and functions that do all I/O", found, all)
	}
	w.files["internal/poll/zpfsd.go"] = out.Bytes()
	w.layout("internal/poll/zpfsd_layout.go", "poll")
	return nil
}

// wrapper writes a method or a function with the name and signature of fd. It calls the renamed one and
// records the call.
func wrapper(out *bytes.Buffer, f *file, fd *ast.FuncDecl, op transfer) {
	var in, args, results, names []string
	list := func(fields *ast.FieldList, letter string, each func(name, kind string)) {
		if fields == nil {
			return
		}
		n := 0
		for _, p := range fields.List {
			for range max(1, len(p.Names)) {
				each(fmt.Sprintf("%s%d", letter, n), f.source(p.Type))
				n++
			}
		}
	}
	list(fd.Type.Params, "a", func(name, kind string) { in, args = append(in, name+" "+kind), append(args, name) })
	count := "0"
	list(fd.Type.Results, "r", func(name, kind string) {
		results, names = append(results, name+" "+kind), append(names, name)
		if name == "r0" && (kind == "int" || kind == "int64") && op.column < 2 {
			count = "int(r0)"
		}
	})
	join := func(l []string) string { return strings.Join(l, ", ") }
	receiver, of, moved := "", "", ""
	if fd.Recv != nil {
		receiver, of = "(fd *FD) ", "fd."
	}
	if op.from != "" {
		moved = fmt.Sprintf("\t\truntime_recMoved(%s, %s)\n", op.from, count)
	}
	fmt.Fprintf(out, "\n//go:norace\nfunc %[10]s%[1]s(%[2]s) (%[3]s) {\n\tt := runtime_recOpBegin(%[4]s, %[5]s, %[12]s)\n\t%[6]s = %[11]srec_%[1]s(%[7]s)\n"+
		"\tif t != 0 {\n\t\truntime_recOpEnd(t, %[8]d, %[9]s)\n%[13]s\t}\n\treturn\n}\n",
		fd.Name.Name, join(in), join(results), op.op, op.kind, join(names), join(args), op.column, count, receiver, of, op.fd, moved)
}

// systemCalls changes package syscall.
func (w *woven) systemCalls() error {
	f := open(w.src, "syscall/syscall_linux.go")
	for _, fn := range []string{"Syscall", "Syscall6"} {
		f.around(fn, "runtime_entersyscall()", "runtime_recSysBegin(trap, a1)", "", false)
		f.around(fn, "runtime_exitsyscall()", "recN := runtime_recSysCount(a2, r1)", "runtime_recSysEnd(recN)", false)
	}
	w.add("syscall/zpfsd_linux.go", "syscall.go.txt")
	return w.save(f)
}

// names changes the places where descriptors get names.
func (w *woven) names() error {
	o := open(w.src, "os/file_unix.go")
	o.start("newFile", "if poll.Recording() { poll.RecFile(fd, name) }")
	n := open(w.src, "net/fd_posix.go")
	n.start("setAddr", "recAddresses(fd, laddr, raddr)")
	l := open(w.src, "net/lookup.go")
	l.around("lookupIPAddr", "trace, _ := ctx.Value(nettrace.TraceKey{}).(*nettrace.Trace)", "runtime_recDialed(0)", "", false)
	d := open(w.src, "net/dial.go")
	d.around("DialContext", `addrs, err := d.resolver().resolveAddrList(resolveCtx, "dial", network, address, d.LocalAddr)`, "", "runtime_recDialed(1)", false)
	w.add("net/zpfsd.go", "net.go.txt")
	return w.save(o, n, l, d)
}

// requests changes where net/http serves and sends requests.
func (w *woven) requests() error {
	s := open(w.src, "net/http/server.go")
	s.last("serverHandler.ServeHTTP", "if recOn { recServe(handler, rw, req); return }")
	s.field("response", "recGoid, recID uint64")
	s.replace("ServeMux.ServeHTTP", "mux.mux121.findHandler(r)", "recFind121(mux, r)")
	s.around("ServeMux.ServeHTTP", "h.ServeHTTP(w, r)", "if recOn { recRouted(r) }", "", false)
	q := open(w.src, "net/http/request.go")
	q.field("Request", "recPattern string")
	s.around("response.WriteHeader", "w.status = code", "", "w.recWriting()", false)
	s.field("connReader", "recFirst int64")
	s.around("connReader.Read", "cr.cond.Broadcast()", "cr.recGot(n)", "", false)
	s.around("conn.serve", "w.finishRequest()", "", "c.r.recIdle()", false)

	b := open(w.src, "net/http/transfer.go")
	b.field("body", "recServed *recServed")
	b.renamed("body.Read", "recRead")

	r := open(w.src, "net/http/roundtrip.go")
	r.start("Transport.RoundTrip", "if recOn && t != nil { return recRoundTrip(t, req) }")
	t := open(w.src, "net/http/transport.go")
	t.field("persistConn", "recDialing *recDialing")
	t.around("Transport.roundTrip", "var resp *Response", "if recOn { recGotConn(pconn, req) }", "", false)
	t.field("persistConn", "recConn uint64")
	t.field("Transport", "recConns atomic.Uint64")
	t.wait("Transport.getConn", "recToken := t.recWaits(w)", "runtime_recPoolEnd(recToken)")
	t.field("wantConn", "recQueued bool")
	t.around("Transport.queueForDial", "t.connsPerHostWait[w.key] = q", "", "w.recQueued = true", false)
	t.renamed("Transport.dialConnFor", "recDialConnFor")
	t.around("Transport.roundTrip", "resp, err = pconn.roundTrip(treq)", "", "if recOn { pconn.recAnswered(resp, err) }", false)
	t.start("Transport.tryPutIdleConn", "pconn.recPut()")
	t.around("persistConn.closeLocked", "pc.closed = err", "", "pc.recGone()", false)
	t.clause("persistConn.roundTrip", "err := <-writeErrCh", "recSent()")
	t.around("Transport.dialConn", `conn, err := t.dial(ctx, "tcp", cm.addr())`, "recDialed := pconn.recDial()", "pconn.recDialing.connected(recDialed)", false)
	t.literals("Transport.dialConn", "persistConn", "cacheKey: pconn.cacheKey", "recDialing: pconn.recDialing")
	t.start("persistConn.addTLS", "pconn.recDialing.handshake(4)")
	t.last("persistConn.addTLS", "pconn.recDialing.handshake(5)")
	t.field("bodyEOFSignal", "recSince atomic.Int64")
	t.renamed("bodyEOFSignal.Read", "recRead")
	t.renamed("bodyEOFSignal.Close", "recClose")
	w.add("net/http/zpfsd.go", "http.go.txt")
	w.add("net/http/zpfsd_conns.go", "http_conns.go.txt")
	w.layout("net/http/zpfsd_layout.go", "http")

	// HTTP/2 has a package of its own in newer versions of Go.
	if _, err := os.Stat(filepath.Join(w.src, "net/http/internal/http2/server.go")); err == nil {
		w.add("net/http/internal/http2/zpfsd.go", "http2.go.txt", "@BUILD@", "", "@PACKAGE@", "http2", "@WRITER@", "responseWriter")
	} else {
		w.add("net/http/zpfsd_http2.go", "http2.go.txt", "@BUILD@", "//go:build !nethttpomithttp2\n", "@PACKAGE@", "http", "@WRITER@", "http2responseWriter")
	}
	return w.save(s, q, b, r, t)
}

// queries changes where database/sql calls drivers.
func (w *woven) queries() error {
	f := open(w.src, "database/sql/sql.go")
	f.field("DB", "rec recDatabase")
	f.field("driverStmt", "recText string")
	f.field("Rows", "rec *recRows")
	f.field("Tx", "rec recTx")
	f.replace("Open", "OpenDB(connector)", "recOpenDB(connector, driverName)")
	f.replace("Open", "OpenDB(dsnConnector{dsn: dataSourceName, driver: driveri})", "recOpenDB(dsnConnector{dsn: dataSourceName, driver: driveri}, driverName)")
	for _, fn := range []string{"DB.conn", "DB.openNewConnection"} {
		f.replace(fn, "db.connector.Connect(ctx)", "recDriverConnect(db, ctx)")
	}
	f.wait("DB.conn", "recToken := db.recWaits()", "runtime_recPoolEnd(recToken)")
	f.field("driverConn", "recConn atomic.Uint64")
	f.around("DB.Conn", "return conn, nil", "dc.recTaken(0)", "", false)
	for _, fn := range []string{"DB.conn", "DB.openNewConnection"} {
		f.around(fn, "db.addDepLocked(dc, dc)", "dc.recOpened()", "", false)
	}
	f.around("DB.putConn", "dc.inUse = false", "", "dc.recPut()", false)
	f.start("driverConn.finalClose", "dc.recGone()")
	f.replace("DB.pingDC", "pinger.Ping(ctx)", "recDriverPing(dc, ctx, pinger)")
	for _, fn := range []string{"driverConn.prepareLocked", "DB.execDC", "DB.queryDC"} {
		f.replace(fn, "ctxDriverPrepare(ctx, dc.ci, query)", "recDriverPrepare(dc, ctx, query)")
		f.around(fn, "ds := &driverStmt{Locker: dc, si: si}", "", "ds.recText = query", false)
	}
	f.replace("Tx.StmtContext", "ctxDriverPrepare(ctx, dc.ci, stmt.query)", "recDriverPrepare(dc, ctx, stmt.query)")
	f.around("Tx.StmtContext", "tx.stmts.Lock()", "txs.cgds.recText = stmt.query", "", false)
	f.replace("DB.execDC", "ctxDriverExec(ctx, execerCtx, execer, query, nvdargs)", "recDriverExec(dc, ctx, execerCtx, execer, query, nvdargs)")
	f.replace("resultFromStatement", "ctxDriverStmtExec(ctx, ds.si, dargs)", "recStmtExec(ctx, ds, dargs)")
	f.replace("DB.queryDC", "ctxDriverQuery(ctx, queryerCtx, queryer, query, nvdargs)", "recDriverQuery(dc, &recQuery, ctx, queryerCtx, queryer, query, nvdargs)")
	f.parameter("rowsiFromStatement", "recQuery **recRows")
	f.replace("rowsiFromStatement", "ctxDriverStmtQuery(ctx, ds.si, dargs)", "recStmtQuery(recQuery, ctx, ds, dargs)")
	for _, fn := range []string{"DB.queryDC", "Stmt.QueryContext"} {
		f.start(fn, "var recQuery *recRows")
		f.replace(fn, "rowsiFromStatement(ctx, dc.ci, ds, args...)", "rowsiFromStatement(&recQuery, ctx, dc.ci, ds, args...)")
		f.around(fn, "rows.initContextClose(ctx, txctx)", "rows.rec = recQuery", "", true)
	}
	f.beforeIf("Rows.nextLocked", "rs.lasterr != nil", "rs.recNext()")
	f.around("Rows.close", "err = rs.rowsi.Close()", "", "rs.recClosed(err)", false)
	f.start("DB.beginDC", "var recTx recTx")
	f.replace("DB.beginDC", "ctxDriverBegin(ctx, opts, dc.ci)", "recDriverBegin(dc, &recTx, ctx, opts)")
	f.around("DB.beginDC", "go tx.awaitDone()", "tx.rec = recTx", "", false)
	f.replace("Tx.Commit", "tx.txi.Commit()", "recDriverCommit(tx)")
	f.replace("Tx.rollback", "tx.txi.Rollback()", "recDriverRollback(tx)")
	w.add("database/sql/zpfsd.go", "sql.go.txt")
	w.layout("database/sql/zpfsd_layout.go", "sql")
	return w.save(f)
}

// buildInformation has debug.ReadBuildInfo say which overlay the program was built with.
func (w *woven) buildInformation() error {
	f := open(w.src, "runtime/debug/mod.go")
	f.around("ReadBuildInfo", "bi.GoVersion = runtime.Version()", "", fmt.Sprintf(`bi.Settings = append(bi.Settings, BuildSetting{Key: "pfsd.overlay", Value: %q})`, w.overlay), false)
	return w.save(f)
}

// paths returns the files' names, sorted.
func (w *woven) paths() []string {
	var all []string
	for p := range w.files {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}
