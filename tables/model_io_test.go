package tables

import (
	"fmt"
	"path/filepath"
	"slices"

	"pfsd/instr"
)

type modelFile struct {
	file   *instr.File
	object *modelObject // nil: not instrumented
}

// modelPair is the two ends of a connection.
type modelPair [2]struct {
	conn    *instr.Conn
	object  *modelObject
	pending int // bytes to be read
	idle    bool
}

func (w *modelWorld) path(i uint32) string {
	return filepath.Join(w.dir, fmt.Sprint("f", i%modelFileNames))
}

func (w *modelWorld) openFile(r *modelRoutine, b, c uint32) string {
	if len(w.files) >= 6 {
		return ""
	}
	name, short := w.path(b), pick(modelNames[instr.KindFile], c)
	class, files := w.class(instr.KindFile, short), w.reg.NewFileClass(short)
	op, create := instr.OpOpen, c%4 >= 2
	if create {
		op = instr.OpCreate
	}
	known := w.file(name)
	if class == nil {
		known = nil // the instrument is off, whose ever the instance is
	}
	counts := class
	if known != nil {
		counts = known.class
	}
	m := w.begin(r.thread, counts, op, false)
	var file *instr.File
	var err error
	cycles, bucket := w.learn(m, known, func() {
		w.in(r, func() {
			if create {
				file, err = files.Create(name)
			} else {
				file, err = files.Open(name)
			}
		})
	})
	made := &w.fileMade[b%modelFileNames]
	*made = *made || create
	if (err == nil) != *made {
		w.fail("%s %s: %v", op, name, err)
	}
	if err != nil {
		w.end(m, nil, cycles, bucket, 0)
		return fmt.Sprintf("%s cannot open %s of %s", r, filepath.Base(name), short)
	}
	o := known
	if o == nil {
		if o = w.object(class); o != nil {
			o.name = name
			if in := w.reg.Reader().FileByName(name); in != nil {
				w.know(o, in)
			} else {
				w.fail("no instance of %s", name)
			}
		}
	}
	w.end(m, o, cycles, bucket, 0)
	f := &modelFile{file, o}
	if o != nil {
		if w.full(instr.LimitFileHandles, w.handles) {
			f.object = nil
		} else {
			w.handles++
			o.opens++
		}
	}
	w.files = append(w.files, f)
	return fmt.Sprintf("%s: %s %s of %s", r, op, filepath.Base(name), short)
}

func (w *modelWorld) useFile(r *modelRoutine, i int, c uint32) string {
	f := w.files[i]
	op := pick([]instr.Op{instr.OpWrite, instr.OpRead, instr.OpSeek, instr.OpTell, instr.OpFlush, instr.OpStat, instr.OpClose, instr.OpClose}, c)
	n := 0
	buf := make([]byte, 1+c%100)
	do := map[instr.Op]func(){
		instr.OpWrite: func() { n, _ = f.file.Write(buf) },
		instr.OpRead:  func() { n, _ = f.file.Read(buf) },
		instr.OpSeek:  func() { f.file.Seek(0, 0) },
		instr.OpTell:  func() { f.file.Tell() },
		instr.OpFlush: func() { f.file.Flush() },
		instr.OpStat:  func() { f.file.Stat() },
		instr.OpClose: func() { f.file.Close() },
	}[op]
	var class *modelClass
	if f.object != nil {
		class = f.object.class
	}
	m := w.begin(r.thread, class, op, false)
	cycles, bucket := w.learn(m, f.object, func() { w.in(r, do) })
	w.end(m, f.object, cycles, bucket, uint64(n))
	if op == instr.OpClose {
		if f.object != nil {
			w.handles--
			f.object.opens--
		}
		w.files = slices.Delete(w.files, i, i+1)
	}
	return fmt.Sprintf("%s: %s %s, %d bytes", r, op, filepath.Base(f.file.Name()), n)
}

// fileByName deletes, renames or stats a file by its name.
func (w *modelWorld) fileByName(r *modelRoutine, b, c uint32) string {
	name, to, short := w.path(b), w.path(c/2), pick(modelNames[instr.KindFile], c)
	class, files := w.class(instr.KindFile, short), w.reg.NewFileClass(short)
	o := w.file(name)
	counts := o
	if class == nil {
		counts = nil
	} else if o != nil {
		class = o.class
	}
	made := &w.fileMade[b%modelFileNames]
	op := pick([]instr.Op{instr.OpDelete, instr.OpRename, instr.OpStat}, c/8)
	var err error
	m := w.begin(r.thread, class, op, false)
	cycles, bucket := w.learn(m, counts, func() {
		w.in(r, func() {
			switch op {
			case instr.OpDelete:
				err = files.Remove(name)
			case instr.OpRename:
				err = files.Rename(name, to)
			case instr.OpStat:
				_, err = files.Stat(name)
			}
		})
	})
	if (err == nil) != *made {
		w.fail("%s %s: %v", op, name, err)
	}
	w.end(m, counts, cycles, bucket, 0)
	switch {
	case err != nil:
	case op == instr.OpDelete:
		w.removed(o)
		*made = false
	case op == instr.OpRename && to != name:
		w.removed(w.file(to))
		if o != nil {
			o.name = to
		}
		*made = false
		w.fileMade[c/2%modelFileNames] = true
		return fmt.Sprintf("%s: rename %s to %s", r, filepath.Base(name), filepath.Base(to))
	}
	return fmt.Sprintf("%s: %s %s, done: %v", r, op, filepath.Base(name), err == nil)
}

func (w *modelWorld) connect(r *modelRoutine) string {
	if len(w.pairs) >= 2 {
		return ""
	}
	names := modelNames[instr.KindSocket]
	p := new(modelPair)
	class := w.class(instr.KindSocket, names[0])
	m := w.begin(r.thread, class, instr.OpConnect, false)
	var err error
	cycles, bucket := w.learn(m, nil, func() {
		w.in(r, func() { p[0].conn, err = w.reg.Dial("tcp", w.listener.Addr().String(), names[0]) })
	})
	if err != nil {
		w.fail("dial: %v", err)
		return "dial"
	}
	p[0].object = w.socket(class, p[0].conn)
	w.end(m, p[0].object, cycles, bucket, 0)
	class = w.class(instr.KindSocket, names[1])
	p[1].conn = w.reg.WrapConn(must(w.listener.Accept()), names[1])
	p[1].object = w.socket(class, p[1].conn)
	w.pairs = append(w.pairs, p)
	return r.String()
}

// socket makes the instance of a connection.
func (w *modelWorld) socket(c *modelClass, conn *instr.Conn) *modelObject {
	o := w.object(c)
	if in := conn.Instance(); (in == nil) != (o == nil) {
		w.fail("the instance of a socket is %v, want %v", in, o)
	} else if in != nil {
		w.know(o, in)
	}
	return o
}

func (w *modelWorld) useSocket(r *modelRoutine, i int, c uint32) string {
	p := w.pairs[i]
	end, other := &p[c%2], &p[1-c%2]
	do := func(op instr.Op, f func() int) {
		var class *modelClass
		if end.object != nil {
			class = end.object.class
		}
		m := w.begin(r.thread, class, op, false)
		n := 0
		cycles, bucket := w.learn(m, end.object, func() { w.in(r, func() { n = f() }) })
		w.end(m, end.object, cycles, bucket, uint64(n))
	}
	what := ""
	switch kind := c / 2 % 16; {
	case kind == 0:
		for i := range p {
			end = &p[i]
			do(instr.OpSocketClose, func() int { end.conn.Close(); return 0 })
			w.removed(end.object)
		}
		w.pairs = slices.Delete(w.pairs, i, i+1)
		what = "close"
	case kind < 3:
		end.idle = !end.idle
		end.conn.SetIdle(end.idle)
		return fmt.Sprint("idle ", end.idle)
	case kind < 4:
		do(instr.OpOpt, func() int { end.conn.SetNoDelay(true); return 0 })
		what = "opt"
	case end.pending > 0:
		do(instr.OpRecv, func() int {
			n, err := end.conn.Read(make([]byte, 1+c%200))
			if err != nil {
				w.fail("recv: %v", err)
			}
			end.pending -= n
			return n
		})
		what = "recv"
	default:
		do(instr.OpSend, func() int { return must(end.conn.Write(make([]byte, c%100))) })
		other.pending += int(c % 100)
		what = "send"
	}
	return fmt.Sprintf("%s: %s", r, what)
}
