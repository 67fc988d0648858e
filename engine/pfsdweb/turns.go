package pfsdweb

import (
	"context"
	"slices"
	"sync"
)

const (
	// maxTurns is how many sign-ins ask the server at a time. The server delays 16 attempts of a machine after failures, and
	// refuses further ones: these are fewer.
	maxTurns = 12
	// maxQueued is how many sign-ins wait for a turn.
	maxQueued = 200
)

// turns lets sign-ins ask the server in a fair order: the names take turns, and those of a name come in the order of their arrival. So
// attempts with one name, however many, delay another name by one turn, and n attempts that fail delay any sign-in by n/maxTurns
// turns at most. It knows nothing of accounts: a name that there is not has the same turns. Safe for concurrent use.
type turns struct {
	mu     sync.Mutex
	taken  int
	queued int
	names  []*nameQueue // those with sign-ins that wait; the first has the next turn
}

// nameQueue is the sign-ins of a name that wait for a turn.
type nameQueue struct {
	name    string
	waiting []chan bool // gets true when it is the turn, false if the sign-in is refused
}

// take waits for a turn. It reports false if there are too many sign-ins, or ctx has ended. give ends the turn.
func (t *turns) take(ctx context.Context, name string) bool {
	t.mu.Lock()
	if t.taken < maxTurns {
		t.taken++
		t.mu.Unlock()
		return true
	}
	if t.queued >= maxQueued && !t.refuseOther(name) {
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

// give ends a turn.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

// next gives a turn that has ended to the next name. The caller holds mu.
func (t *turns) next() {
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

// of is the queue of a name, nil if none of its sign-ins waits. The caller holds mu.
func (t *turns) of(name string) *nameQueue {
	if i := slices.IndexFunc(t.names, func(q *nameQueue) bool { return q.name == name }); i >= 0 {
		return t.names[i]
	}
	return nil
}

// drop takes a sign-in out of the queue of its name. It reports false if it is not there. The caller holds mu.
func (t *turns) drop(name string, turn chan bool) bool {
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

// refuseOther makes room for a sign-in of a name: it refuses the last one of the name with the most, if that has at least two more than
// this name. The caller holds mu.
func (t *turns) refuseOther(name string) bool {
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
