package storage

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/usertables"
)

// Session is a session with transactions and temporary tables. Owned by one goroutine.
type Session struct {
	*sql.BaseSession
	p *Provider
	// current is the transaction that began last. go-mysql-server forgets the transaction of a
	// statement that fails, although it holds locks.
	current *Transaction
	// temporaries has the databases of temporary tables that [Database.CreateTemporaryTable] has
	// made, by the database whose temporary tables they have. owned are all of them.
	temporaries map[*Database]*Database
	owned       []*Database
	// warned are the warnings, the last one last, and warningCount is how many clients are told of. warningsLocked: they cannot be cleared.
	// warnings decides which are kept, nil for all of them. unkept are how many are not.
	warned         []*sql.Warning
	warningCount   uint16
	warningsLocked bool
	warnings       Warnings
	unkept         Unkept
}

// warnedKept is how many places for warnings a session keeps that has none, at the most.
const warnedKept = 64

// Warnings decides which warnings of the SQL engine a session keeps until they are taken from it. Owned by the session's goroutine.
type Warnings interface {
	// Keeps reports whether the session keeps w in addition to those that it has.
	Keeps(w *sql.Warning, has int) bool
	// Cleared is called when the session has no warnings any more.
	Cleared()
}

// Unkept counts the warnings that were not kept.
type Unkept struct{ Notes, Others uint64 }

// BoundWarnings has w decide which warnings the session keeps.
//
// go-mysql-server by itself keeps all, a statement can raise one for each row. MySQL: keeps max_error_count.
func (s *Session) BoundWarnings(w Warnings) { s.warnings = w }

// Unkept returns how many warnings were not kept since the last ClearWarnings.
func (s *Session) Unkept() Unkept { return s.unkept }

// Warn implements sql.Session. It keeps as much of the text as clients see: a warning can quote a value.
func (s *Session) Warn(w *sql.Warning) {
	if w.Code != mysqlerr.Rewritten {
		w.Message = mysqlerr.Clip(w.Message)
	}
	switch {
	case s.warnings == nil || s.warnings.Keeps(w, int(s.WarningCount())):
		s.warned = append(s.warned, w)
		s.warningCount = uint16(len(s.warned))
	case w.Level == "Note":
		s.unkept.Notes++
	default:
		s.unkept.Others++
	}
}

// Warnings implements sql.Session.
func (s *Session) Warnings() []*sql.Warning {
	all := slices.Clone(s.warned)
	slices.Reverse(all)
	return all
}

// WarningCount implements sql.Session.
func (s *Session) WarningCount() uint16 { return s.warningCount }

// ClearWarningCount implements sql.Session.
func (s *Session) ClearWarningCount() { s.warningCount = 0 }

// LockWarnings implements sql.Session.
func (s *Session) LockWarnings() { s.warningsLocked = true }

// UnlockWarnings implements sql.Session.
func (s *Session) UnlockWarnings() { s.warningsLocked = false }

// ClearWarnings implements sql.Session.
//
// go-mysql-server's session goes on to refer to all warnings, which are not charged any more.
func (s *Session) ClearWarnings() {
	if s.warningsLocked {
		return
	}
	clear(s.warned)
	s.warned, s.warningCount = s.warned[:0], 0
	if cap(s.warned) > warnedKept {
		s.warned = nil
	}
	s.unkept = Unkept{}
	if s.warnings != nil {
		s.warnings.Cleared()
	}
}

// WarningsBefore returns a function that clears the warnings from before now, not those that are raised until it is called.
func (s *Session) WarningsBefore() (clear func()) {
	kept, before := len(s.Warnings()), s.unkept
	return func() {
		all, unkept := s.Warnings(), s.unkept
		s.ClearWarnings()
		for i := len(all) - kept - 1; i >= 0; i-- { // the last one comes first
			s.Warn(all[i])
		}
		s.unkept.Notes += unkept.Notes - before.Notes
		s.unkept.Others += unkept.Others - before.Others
	}
}

var (
	_ sql.TransactionSession    = (*Session)(nil)
	_ sql.LifecycleAwareSession = (*Session)(nil)
	_ Temporaries               = (*Session)(nil)
)

// NewSession implements usertables.Storage. The session is a [Session].
func (p *Provider) NewSession(base *sql.BaseSession) sql.TransactionSession {
	return &Session{BaseSession: base, p: p}
}

// NewTemporary implements usertables.Storage. Only the session of ctx can use the tables of the
// database. They take part in its transactions, need no locks, and are dropped when the session
// ends.
func (p *Provider) NewTemporary(ctx *sql.Context, name string) usertables.StoredDatabase {
	d := p.newDatabase(name)
	d.temporary = true
	if s, ok := ctx.Session.(*Session); ok {
		s.owned = append(s.owned, d)
	}
	return d
}

// StartTransaction implements sql.TransactionSession.
func (s *Session) StartTransaction(ctx *sql.Context, c sql.TransactionCharacteristic) (sql.Transaction, error) {
	s.end()
	s.current = s.p.Begin(TransactionOptions{Isolation: isolation(ctx), ReadOnly: c == sql.ReadOnly, Owner: s})
	return s.current, nil
}

// end rolls back the last transaction if it has not ended.
func (s *Session) end() {
	if s.current != nil {
		s.current.Rollback()
		s.current = nil
	}
}

// Base returns the part of the session that go-mysql-server has made.
func (s *Session) Base() *sql.BaseSession { return s.BaseSession }

// CommitTransaction implements sql.TransactionSession.
func (s *Session) CommitTransaction(ctx *sql.Context, tx sql.Transaction) error {
	if t, ok := tx.(*Transaction); ok {
		return t.Commit(ctx)
	}
	return nil
}

// Rollback implements sql.TransactionSession.
func (s *Session) Rollback(_ *sql.Context, tx sql.Transaction) error {
	if t, ok := tx.(*Transaction); ok {
		t.Rollback()
	}
	return nil
}

// CreateSavepoint implements sql.TransactionSession.
func (s *Session) CreateSavepoint(_ *sql.Context, tx sql.Transaction, name string) error {
	if t, ok := tx.(*Transaction); ok {
		t.Savepoint(name)
	}
	return nil
}

// RollbackToSavepoint implements sql.TransactionSession.
func (s *Session) RollbackToSavepoint(_ *sql.Context, tx sql.Transaction, name string) error {
	if t, ok := tx.(*Transaction); !ok || !t.RollbackToSavepoint(name) {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	return nil
}

// ReleaseSavepoint implements sql.TransactionSession.
func (s *Session) ReleaseSavepoint(_ *sql.Context, tx sql.Transaction, name string) error {
	if t, ok := tx.(*Transaction); !ok || !t.ReleaseSavepoint(name) {
		return sql.ErrSavepointDoesNotExist.New(name)
	}
	return nil
}

// TemporaryDatabase implements Temporaries.
func (s *Session) TemporaryDatabase(d *Database, make bool) *Database {
	t := s.temporaries[d]
	if t == nil && make {
		t = s.p.newDatabase(d.name)
		t.temporary = true
		s.owned = append(s.owned, t)
		if s.temporaries == nil {
			s.temporaries = map[*Database]*Database{}
		}
		s.temporaries[d] = t
	}
	return t
}

// CommandBegin implements sql.LifecycleAwareSession.
func (s *Session) CommandBegin() error {
	if s.current != nil {
		s.current.StartStatement(0)
	}
	return nil
}

// CommandEnd implements sql.LifecycleAwareSession.
func (s *Session) CommandEnd() {
	if s.current != nil {
		s.current.EndStatement()
	}
	if s.GetTransaction() == nil {
		s.end()
	}
}

// SessionEnd implements sql.LifecycleAwareSession. It rolls back the open transaction, because
// go-mysql-server does not.
func (s *Session) SessionEnd() {
	s.end()
	for _, d := range s.owned {
		_ = d.dropAll() // rows that remain are removed when the store is opened again
	}
	s.temporaries, s.owned = nil, nil
}
