package mdl

import "pfsd/instr"

// Wait is a request that waits, and the locks and earlier requests that it waits for. If one of
// them is not in metadata_locks because of a limit, little more than its thread is known.
type Wait struct {
	Waiter   instr.MetadataLockInfo
	Blockers []instr.MetadataLockInfo
}

// Waits returns the requests that wait now. Safe for concurrent use. While it runs, waiters cannot
// be woken.
func (m *Manager) Waits() []Wait {
	m.waiting.Lock()
	defer m.waiting.Unlock()
	all := make([]Wait, 0, len(m.waiters))
	for o := range m.waiters {
		w := Wait{Waiter: o.waitsFor.info()}
		part := o.waitsFor.object.part
		part.mu.Lock()
		for _, b := range o.waitsFor.blockers() {
			w.Blockers = append(w.Blockers, b.info())
		}
		part.mu.Unlock()
		all = append(all, w)
	}
	return all
}

// info returns the information about a lock or a request. The caller holds the partition's mutex
// or, for a request, Manager.waiting.
func (l *Lock) info() instr.MetadataLockInfo {
	info, ok := l.record.Info()
	if !ok {
		info = instr.MetadataLockInfo{Class: l.owner.manager.class.Class(), Object: l.object.record, Type: l.kind, Status: instr.MetadataGranted}
	}
	if info.Thread == 0 && l.owner.thread != nil {
		info.Thread = l.owner.thread.ID()
	}
	return info
}
