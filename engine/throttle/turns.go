package throttle

import (
	"context"
	"slices"
	"sync"
)

// Turns gives a number of places to attempts in a fair order: the names take turns, and the attempts of a name come in the order of their
// arrival. So attempts with one name, however many, delay another name by one turn, and n attempts delay any other by n/places turns at
// most. Turns knows nothing of accounts: a name that there is not has the same turns. Safe for concurrent use.
type Turns struct {
	places, queue int // how many attempts have a place at a time, and how many wait for one

	mu     sync.Mutex
	taken  int
	queued int
	names  []*nameQueue // those with attempts that wait; the first has the next turn
}

// NewTurns makes Turns with so many places, for which so many attempts may wait.
func NewTurns(places, queue int) *Turns { return &Turns{places: places, queue: queue} }

// nameQueue is the attempts of a name that wait for a turn.
type nameQueue struct {
	name    string
	waiting []chan bool // gets true when it is the turn, false if the attempt is refused
}

// Take waits for a turn. It reports false if too many attempts wait, or ctx has ended. Give ends the turn.
func (t *Turns) Take(ctx context.Context, name string) bool {
	t.mu.Lock()
	if t.taken < t.places {
		t.taken++
		t.mu.Unlock()
		return true
	}
	if t.queued >= t.queue && !t.refuseOther(name) {
		t.mu.Unlock()
		return false
	}
	turn := make(chan bool, 1)
	q := t.of(name)
	if q == nil {
		q = &nameQueue{name: name}
		t.names = append(t.names, q)
	}
	q.waiting = append(q.waiting, turn)
	t.queued++
	t.mu.Unlock()
	select {
	case mine := <-turn:
		return mine
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.drop(name, turn) && <-turn { // the turn has come meanwhile
		t.next()
	}
	return false
}

// Give ends a turn.
func (t *Turns) Give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

// next gives a turn that has ended to the next name. The caller holds mu.
func (t *Turns) next() {
	if len(t.names) == 0 {
		t.taken--
		return
	}
	q := t.names[0]
	turn := q.waiting[0]
	t.names = slices.Delete(t.names, 0, 1)
	if q.waiting = q.waiting[1:]; len(q.waiting) > 0 {
		t.names = append(t.names, q)
	}
	t.queued--
	turn <- true
}

// Taken is how many attempts have a place.
func (t *Turns) Taken() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}

// Waiting is how many attempts wait for a place.
func (t *Turns) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queued
}

// of is the queue of a name, nil if none of its attempts waits. The caller holds mu.
func (t *Turns) of(name string) *nameQueue {
	if i := slices.IndexFunc(t.names, func(q *nameQueue) bool { return q.name == name }); i >= 0 {
		return t.names[i]
	}
	return nil
}

// drop takes an attempt out of the queue of its name. It reports false if it is not there. The caller holds mu.
func (t *Turns) drop(name string, turn chan bool) bool {
	q := t.of(name)
	if q == nil {
		return false
	}
	i := slices.Index(q.waiting, turn)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	t.queued--
	if len(q.waiting) == 0 {
		t.names = slices.DeleteFunc(t.names, func(one *nameQueue) bool { return one == q })
	}
	return true
}

// refuseOther makes room for an attempt of a name: it refuses the last one of the name with the most, if that has at least two more than
// this name. The caller holds mu.
func (t *Turns) refuseOther(name string) bool {
	own := 0
	if q := t.of(name); q != nil {
		own = len(q.waiting)
	}
	most := slices.MaxFunc(t.names, func(a, b *nameQueue) int { return len(a.waiting) - len(b.waiting) })
	if len(most.waiting) < own+2 {
		return false
	}
	last := most.waiting[len(most.waiting)-1]
	t.drop(most.name, last)
	last <- false
	return true
}
