package mdl

// breakDeadlocks chooses victims until from, which has begun to wait, is in no cycle of waiting
// owners. The caller holds Manager.waiting.
func (m *Manager) breakDeadlocks(from *Owner) {
	for from.waitsFor != nil {
		cycle := m.cycle(from)
		if cycle == nil {
			return
		}
		victim := from
		for _, o := range cycle {
			if o.waitsFor.weight() < victim.waitsFor.weight() {
				victim = o
			}
		}
		victim.victim = true
		m.giveUp(victim.waitsFor)
		victim.signal()
		if victim == from {
			return
		}
	}
}

// weight is the weight of a request: the lightest one in a deadlock is the victim.
func (l *Lock) weight() int {
	switch {
	case l.object.key.Namespace == UserLevelLock:
		return 50
	case l.kind >= SharedUpgradable:
		return 100
	}
	return 25
}

// cycle returns a cycle of waiting owners that contains from, nil if there is none. Waiters keep
// their locks and are woken under Manager.waiting, so all owners of a cycle wait at the same time.
// The caller holds Manager.waiting.
func (m *Manager) cycle(from *Owner) []*Owner {
	seen := map[*Owner]bool{}
	var search func(o *Owner) []*Owner
	search = func(o *Owner) []*Owner {
		for _, blocker := range o.blockers() {
			if blocker == from {
				return []*Owner{o}
			}
			if blocker.waitsFor == nil || seen[blocker] {
				continue
			}
			seen[blocker] = true
			if rest := search(blocker); rest != nil {
				return append(rest, o)
			}
		}
		return nil
	}
	return search(from)
}

// blockers returns the owners that a waiting owner waits for.
func (o *Owner) blockers() (all []*Owner) {
	l := o.waitsFor
	l.object.part.mu.Lock()
	defer l.object.part.mu.Unlock()
	for _, b := range l.blockers() {
		all = append(all, b.owner)
	}
	return all
}

// blockers returns the locks and requests of others that a request waits for. The caller holds the
// partition's mutex.
func (l *Lock) blockers() (all []*Lock) {
	on := l.object
	for g := on.granted; g != nil; g = g.next {
		if g.owner != l.owner && on.rules.granted[l.kind]&(1<<g.kind) != 0 {
			all = append(all, g)
		}
	}
	for _, w := range on.queue {
		if w.owner != l.owner && on.rules.waiting[l.kind]&(1<<w.kind) != 0 {
			all = append(all, w)
		}
	}
	return all
}
