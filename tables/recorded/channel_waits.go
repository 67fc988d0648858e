package recorded

import (
	"fmt"
	"strings"

	"pfsd/instr/record"
	"pfsd/tables"
)

// How a goroutine uses a channel that another one waits for.
type channelUse struct {
	record.Thread
	mode string
	// begun is true if an errgroup has begun it.
	begun bool
	last  record.Last // what is known of when and where, if its Did is not 0
}

// channelReading is who uses the channels that somebody waits for. Who has used a channel last is a hint at who will do so again, but any other goroutine
// can: nobody is certainly in the way.
type channelReading struct {
	synchReading
	users map[uint64][]record.Thread // that have sent to a channel, received from it, or have a place in it, by channel
}

// channelsOf reads who uses the channels that these goroutines wait for; nil if they wait for none.
func (m *Model) channelsOf(waiters []lockWaiter, waited map[uint64]record.Waited) *channelReading {
	wanted := map[uint64]bool{}
	for i := range waiters {
		if w := &waiters[i]; (w.kind == record.Send || w.kind == record.Receive) && w.Running.Object != 0 {
			wanted[w.Running.Object] = true
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	r := &channelReading{synchReading{model: m, waited: waited, classes: m.rec.Classes()}, map[uint64][]record.Thread{}}
	for _, t := range m.rec.Threads() {
		for i, c := range []uint64{t.Sent, t.Received, t.Took} {
			if wanted[c] && (i == 0 || c != t.Sent) && (i < 2 || c != t.Received) {
				r.users[c] = append(r.users[c], t)
			}
		}
	}
	return r
}

// inTheWay are the goroutines that perhaps keep a goroutine waiting that waits to send to a channel or to receive from it: those that have received
// from it, or sent to it, last. If the values have no size, and the channel has room for some, they are places, and in the way are those that have
// sent one and not received one since, or were begun after that; under the limit of an errgroup only those that it has begun.
func (r *channelReading) inTheWay(w *lockWaiter) (all []channelUse) {
	c := w.Running.Object
	of := r.waited[c]
	errgroup := r.errgroup(&w.Running)
	places := of.Empty && of.Size > 0 && w.kind == record.Send
	if places {
		for _, t := range r.users[c] {
			begun := int(t.Place) < len(r.classes) && len(r.classes[t.Place].Frames) > 0 && strings.HasPrefix(r.classes[t.Place].Frames[0].Function, errgroupMethods)
			if t.Took != c || errgroup && !begun {
				continue
			}
			u := channelUse{Thread: t, mode: tables.LockModePlace, begun: begun}
			if of.Last.Thread == t.ID && !begun {
				u.last = of.Last
			}
			all = append(all, u)
		}
	}
	if len(all) > 0 || errgroup {
		return all
	}
	mode, last := tables.LockModeReceive, of.Received
	if w.kind == record.Receive {
		mode, last = tables.LockModeSend, of.Last
	}
	for _, t := range r.users[c] {
		known := last.Did != 0 && last.Thread == t.ID
		if known || mode == tables.LockModeReceive && t.Received == c || mode == tables.LockModeSend && t.Sent == c {
			u := channelUse{Thread: t, mode: mode}
			if known {
				u.last = last
			}
			all = append(all, u)
		}
	}
	return all
}

// forChannel adds the waits for a channel for each goroutine that is perhaps in the way.
func (l *lockWaits) forChannel(all []tables.LockWait, t *lockWaiter, w tables.LockWait) []tables.LockWait {
	users := l.channels.inTheWay(t)
	w.Any = true
	w.Waiter.Mode = tables.LockModeSend
	if t.kind == record.Receive {
		w.Waiter.Mode, w.Group = tables.LockModeReceive, true
	}
	for i, u := range users {
		if i == mostBlockers {
			break
		}
		w.Blocker = tables.LockParty{Thread: u.ID, Goroutine: u.ID, Number: u.Created, Mode: u.mode}
		switch {
		case u.last.Did != 0:
			w.Blocker.Source, w.Blocker.Since, w.Blocker.Timed = l.model.source(u.last.Place), l.model.since(u.last.Since), true
		case u.begun:
			w.Blocker.Source, w.Blocker.Since, w.Blocker.Timed = l.model.source(u.Place), l.model.since(u.Created), true
		}
		w.Doubt = doubtOf(&u)
		if len(users) > 1 {
			w.Doubt += fmt.Sprintf("; any of %d would do", len(users))
		}
		all = append(all, w)
	}
	return all
}

// doubtOf is why a goroutine is perhaps in the way of one that waits for a channel, and perhaps not.
func doubtOf(u *channelUse) string {
	switch {
	case u.begun:
		return "the errgroup has begun it, after a place was taken that it seems to have until it ends"
	case u.mode == tables.LockModePlace:
		return "it, or who has begun it, has sent to the channel, and it has not received from it since: perhaps it has a place there; another goroutine may receive"
	case u.mode == tables.LockModeReceive:
		return "it has received from the channel last; another goroutine may receive"
	}
	return "it has sent to the channel last; another goroutine may send"
}

// addReceivers adds to those that wait for locks those that are in their way and wait to receive from a channel.
func (l *lockWaits) addReceivers() {
	have := map[uint64]bool{}
	for i := range l.waiting {
		have[l.waiting[i].ID] = true
	}
	add := func(id uint64) {
		if id == 0 || have[id] {
			return
		}
		have[id] = true
		if t, ok := l.model.rec.Thread(id); ok {
			if in := l.model.instrumentOf(t.Running.Class); in.kind == record.Receive {
				l.waiting = append(l.waiting, lockWaiter{t, in})
			}
		}
	}
	for i := range l.waiting {
		switch w := &l.waiting[i]; w.kind {
		case record.Mutex, record.ReadLock, record.WriteLock:
			add(l.locks[w.Running.Object].Holder)
			for _, h := range l.readers[w.Running.Object] {
				add(h.Thread)
			}
		case record.Pool, record.HostPool:
			for _, c := range l.conns[w.Running.Object] {
				add(c.Thread)
			}
		}
	}
}
