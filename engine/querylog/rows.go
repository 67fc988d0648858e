package querylog

import (
	"os"
	"slices"
	"strings"
)

const (
	// KeptBytes is how much of each log its table has, bytes.
	KeptBytes = 8 << 20
	// KeptText is how much of a text it has, bytes.
	KeptText = 64 << 10
	// rowBytes is about what a row takes besides its text.
	rowBytes = 256
)

// rows are the newest entries of a log, the oldest first.
type rows struct {
	all   []any // *SlowEntry or *GeneralEntry, which do not change
	bytes int
}

func size(text int) int { return rowBytes + min(text, KeptText) }

// add keeps an entry with a text so long, and drops the oldest beyond KeptBytes. It returns the entry that it keeps.
func (r *rows) add(entry any, text int) any {
	cut := func(s string) string { return strings.Clone(s[:min(len(s), KeptText)]) }
	switch e := entry.(type) {
	case *SlowEntry:
		own := *e
		own.Text = cut(e.Text)
		entry = &own
	case *GeneralEntry:
		own := *e
		own.Argument = cut(e.Argument)
		entry = &own
	}
	r.all = append(r.all, entry)
	r.bytes += size(text)
	for r.bytes > KeptBytes {
		r.bytes -= entrySize(r.all[0])
		r.all[0] = nil
		r.all = r.all[1:]
	}
	return entry
}

func entrySize(entry any) int {
	switch e := entry.(type) {
	case *SlowEntry:
		return size(len(e.Text))
	case *GeneralEntry:
		return size(len(e.Argument))
	}
	return 0
}

// SlowRows are what mysql.slow_log has, the oldest first. They must not be changed.
func (l *Logs) SlowRows() []*SlowEntry { return rowsOf[*SlowEntry](l, Slow) }

// GeneralRows are what mysql.general_log has, the oldest first. They must not be changed.
func (l *Logs) GeneralRows() []*GeneralEntry { return rowsOf[*GeneralEntry](l, General) }

func rowsOf[E any](l *Logs, k Kind) (all []E) {
	l.mu.Lock()
	l.load(k)
	kept := slices.Clone(l.rows[k].all)
	l.mu.Unlock()
	for _, e := range kept {
		all = append(all, e.(E))
	}
	return all
}

// Truncate drops the rows of a log.
func (l *Logs) Truncate(k Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load(k)
	l.rows[k] = rows{}
	if l.kept[k].path != "" {
		l.openRows(k, os.O_TRUNC)
	}
}
