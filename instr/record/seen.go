package record

import (
	"encoding/binary"
	"sync"
)

// seen is what is remembered of the rows of goroutines, so that readers who look for few of them need not read each row three times and
// convert it: a row whose seq is still the same has not changed.
type seen struct {
	mu    sync.Mutex
	seqs  []uint64 // of each row, when it was last read whole; an odd one if it was not
	marks []mark
	batch []byte
}

// mark says what is in a row.
type mark uint8

const (
	markUsed  mark  = 1 << iota // there is a goroutine
	markLock                    // it waits for a lock, a WaitGroup or a connection of a pool, or to send to a channel
	markBusy                    // it may do something for somebody
	notWhole  = 1               // an odd seq
	seenBatch = 512             // rows
)

// idleKinds are waits in which a goroutine that does nothing else has nothing to do.
var idleKinds = [Kinds]bool{Cond: true, WaitGroup: true, Receive: true, Send: true, Select: true, Sleep: true}

// Busy returns the goroutines that are in a wait that is not only for something to do, or that have had a request or a query.
func (r *Recording) Busy() []Thread { return r.marked(markBusy) }

// LockWaiters returns the goroutines that wait for mutexes, readers-writer locks, WaitGroups and connections of pools, or to send to a channel.
func (r *Recording) LockWaiters() []Thread { return r.marked(markLock) }

// marked returns the goroutines with a mark, in the order of their rows.
func (r *Recording) marked(want mark) []Thread {
	classes := r.Classes()
	c := r.clock()
	s := &r.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.batch == nil {
		s.batch = make([]byte, seenBatch*recThreadSize)
	}
	h := r.head()
	list := r.markedIn(nil, want, c, classes, 0, int(min(h.threads, recMaxThreads)))
	return r.markedIn(list, want, c, classes, recMaxThreads, recMaxThreads+int(min(h.spare, recMaxSpare)))
}

// markedIn appends the goroutines with a mark in the rows from first up to end.
func (r *Recording) markedIn(list []Thread, want mark, c clock, classes []Class, first, end int) []Thread {
	s := &r.seen
	if first == end {
		return list
	}
	for len(s.seqs) < end {
		s.seqs, s.marks = append(s.seqs, notWhole), append(s.marks, 0)
	}
	for ; first < end; first += seenBatch {
		rows := min(seenBatch, end-first)
		b := s.batch[:rows*recThreadSize]
		r.read(recAtThreads+uint64(first*recThreadSize), b)
		for i := range rows {
			slot := first + i
			seq := binary.LittleEndian.Uint64(b[i*recThreadSize:])
			same := seq == s.seqs[slot]
			if same && s.marks[slot]&want == 0 {
				continue
			}
			if !same {
				s.seqs[slot], s.marks[slot] = notWhole, 0
			}
			r.stable(recAtThreads+uint64(slot*recThreadSize), recThreadSize, 1, false, func(_ int, b []byte) {
				t, used := c.thread(uint32(slot), b)
				s.seqs[slot], s.marks[slot] = binary.LittleEndian.Uint64(b), markOf(&t, used, classes)
				if s.marks[slot]&want != 0 {
					list = append(list, t)
				}
			})
		}
	}
	return list
}

func markOf(t *Thread, used bool, classes []Class) (m mark) {
	if !used {
		return 0
	}
	m = markUsed
	if t.work != 0 {
		m |= markBusy
	}
	if class := t.Running.Class; class != 0 {
		kind := Kind(0) // of a class that is newer than the list
		if int(class) < len(classes) {
			kind = classes[class].Kind
		}
		switch {
		case kind == Mutex || kind == ReadLock || kind == WriteLock || kind == Pool || kind == HostPool:
			m |= markLock | markBusy
		case kind == WaitGroup || kind == Send:
			m |= markLock
		case kind == 0:
			m |= markLock | markBusy // it is asked again what it is
		case !idleKinds[kind]:
			m |= markBusy
		}
	}
	return m
}
