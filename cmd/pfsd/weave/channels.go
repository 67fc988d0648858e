package weave

// channels changes where goroutines operate on channels: a channel remembers who has sent to it last, and who has received, and its row.
func (w *woven) channels() error {
	c := open(w.src, "runtime/chan.go")
	c.field("hchan", "recSent, recReceived recChanEnd")
	c.fieldAfter("hchan", "elemsize uint16", "recRow uint16") // there is room
	const unlock, unlocks = "func() { unlock(&c.lock) }, 3)", "func() { selunlock(scases, lockorder) }, 2)"
	c.around("chansend", "c.qcount++", "if recOn { recFills(c, callerpc) }", "", false)
	c.around("chansend", "send(c, sg, ep, "+unlock, "if recOn { recMeets(c, callerpc) }", "", false)
	c.around("chanrecv", "c.qcount--", "if recOn { recReceives(c) }", "", false)
	c.around("chanrecv", "recv(c, sg, ep, "+unlock, "if recOn { recRelieves(c) }", "", false)
	c.start("send", "if recOn { recHandsOver(c, sg.g) }")
	c.start("recv", "if recOn { recTakesOver(c, sg.g) }")

	s := open(w.src, "runtime/select.go")
	s.around("selectgo", "c.qcount++", "if recOn { recSelectFills(c) }", "", false)
	s.around("selectgo", "send(c, sg, cas.elem, "+unlocks, "if recOn { recSelects(c) }", "", false)
	s.around("selectgo", "c.qcount--", "if recOn { recReceives(c) }", "", false)
	s.around("selectgo", "recv(c, sg, cas.elem, "+unlocks, "if recOn { recSelected(c) }", "", false)
	return w.save(c, s)
}

// conditions changes sync.Cond, Once and WaitGroup. The recorder finds what they remember by the places of their semaphores and lists of waiters.
func (w *woven) conditions() error {
	c := open(w.src, "sync/cond.go")
	c.fields("Cond", "noCopy noCopy", "L Locker", "notify notifyList", "checker copyChecker")
	c.field("Cond", "rec recCondition")
	c.start("Signal", "c.recSignals(false)")
	c.start("Broadcast", "c.recSignals(true)")
	o := open(w.src, "sync/once.go")
	o.around("doSlow", "f()", "if recOn { defer o.recEnd(o.recBegin()) }", "", false)
	w.add("sync/zpfsd_waited.go", "waited_sync.go.txt")
	return w.save(c, o)
}
