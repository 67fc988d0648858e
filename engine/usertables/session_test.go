package usertables

import (
	"errors"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/instr"
)

// transactions is a session of a storage that has savepoints of its own.
type transactions struct {
	*sql.BaseSession
	calls []string
}

func (s *transactions) StartTransaction(*sql.Context, sql.TransactionCharacteristic) (sql.Transaction, error) {
	return nil, nil
}
func (s *transactions) CommitTransaction(*sql.Context, sql.Transaction) error { return nil }
func (s *transactions) Rollback(*sql.Context, sql.Transaction) error          { return nil }

func (s *transactions) CreateSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	s.calls = append(s.calls, "set "+name)
	return nil
}

func (s *transactions) RollbackToSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	s.calls = append(s.calls, "rollback "+name)
	return nil
}

func (s *transactions) ReleaseSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	s.calls = append(s.calls, "release "+name)
	return nil
}

// observer counts the calls of its methods.
type observer struct {
	statement Statement
	account   *budget.Connection
	writes    []instr.TableOp
}

func (o *observer) Statement() *Statement          { return &o.statement }
func (o *observer) FindsView(*sql.Context, string) {}

func (o *observer) FindsManyColumns(int) error { return nil }
func (o *observer) NewHold() *budget.Hold      { return o.account.NewHold(nil) }
func (o *observer) Writes(_ StoredTable, op instr.TableOp) instr.TableWait {
	o.writes = append(o.writes, op)
	return instr.TableWait{}
}

// Savepoints belong to the storage's session.
func TestSavepointsOfTheStorage(t *testing.T) {
	session := &transactions{BaseSession: sql.NewBaseSession()}
	ctx := sql.NewContext(t.Context(), sql.WithSession(session))
	s := NewSession(&observer{})
	guard := s.Guard(ctx)
	for _, err := range []error{s.Savepoint(ctx, "a"), s.RollbackTo(ctx, "a"), s.Release(ctx, guard)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"set " + guard, "set a", "rollback a", "release " + guard}; !slices.Equal(session.calls, want) {
		t.Errorf("%q, want %q", session.calls, want)
	}
}

// full is an editor that writes nothing.
type full struct{ sql.TableEditor }

var errFull = errors.New("full")

func (full) Insert(*sql.Context, sql.Row) error          { return errFull }
func (full) Update(*sql.Context, sql.Row, sql.Row) error { return errFull }
func (full) Delete(*sql.Context, sql.Row) error          { return errFull }

// named is a table that only has a name.
type named struct{ StoredTable }

func (named) Name() string     { return "t" }
func (named) Database() string { return "d" + temporarySuffix }

// A row that cannot be written to a temporary table is not charged, and one that cannot be deleted stays charged.
func TestChargeOfFailedWrites(t *testing.T) {
	o := &observer{account: budget.NewServer(budget.NoLimit).NewConnection(nil)}
	s := NewSession(o)
	if err := s.chargeRow(named{}, sql.NewRow("there"), nil); err != nil {
		t.Fatal(err)
	}
	before := s.rows[nameOf(named{})].Used()
	e := &editor{TableEditor: full{}, session: s, table: named{}, temporary: true}
	for _, err := range []error{e.Insert(nil, sql.NewRow("long")), e.Update(nil, sql.NewRow("there"), sql.NewRow("longer")), e.Delete(nil, sql.NewRow("there"))} {
		if err != errFull {
			t.Fatal(err)
		}
	}
	if after := s.rows[nameOf(named{})].Used(); before == 0 || after != before {
		t.Errorf("%d bytes are charged, before it was %d", after, before)
	}
	if want := []instr.TableOp{instr.TableInsert, instr.TableUpdate, instr.TableDelete}; !slices.Equal(o.writes, want) {
		t.Errorf("%v, want %v", o.writes, want)
	}
}
