// Package enginetest runs go-mysql-server's own tests of its engine on users' tables. It is a
// separate module, because these tests need other modules.
package enginetest

import (
	"context"
	"testing"

	"github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/queries"
	"github.com/dolthub/go-mysql-server/enginetest/scriptgen/setup"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage"
	"pfsd/engine/txkv"
)

// harness makes engines. Each has a store of its own in memory.
type harness struct {
	t       *testing.T
	store   *txkv.Store
	p       *storage.Provider
	scripts []setup.SetupScript
	session *storage.Session
	all     []*storage.Session
}

var (
	_ enginetest.Harness             = (*harness)(nil)
	_ enginetest.TransactionHarness  = (*harness)(nil)
	_ enginetest.ClientHarness       = (*harness)(nil)
	_ enginetest.IndexHarness        = (*harness)(nil)
	_ enginetest.ForeignKeyHarness   = (*harness)(nil)
	_ enginetest.KeylessTableHarness = (*harness)(nil)
)

func newHarness(t *testing.T) *harness {
	h := &harness{t: t}
	t.Cleanup(func() {
		if h.store != nil {
			h.end()
			_ = h.store.Close()
		}
	})
	return h
}

// Setup implements enginetest.Harness.
func (h *harness) Setup(scripts ...[]setup.SetupScript) {
	h.scripts = nil
	for _, s := range scripts {
		h.scripts = append(h.scripts, s...)
	}
}

func (h *harness) end() {
	for _, s := range h.all {
		s.SessionEnd()
	}
	h.all = nil
}

func (h *harness) fresh() {
	if h.store != nil {
		h.end()
		_ = h.store.Close()
	}
	s, err := txkv.Open(txkv.Options{CacheBytes: 8 << 20, MemTableBytes: 1 << 20, Flush: func() txkv.FlushPolicy { return txkv.FlushEachSecond }})
	if err != nil {
		h.t.Fatal(err)
	}
	p, err := storage.Open(s)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, name := range []string{"mydb", "foo"} {
		if err := p.CreateDatabase(nil, name); err != nil {
			h.t.Fatal(err)
		}
	}
	h.store, h.p, h.session = s, p, nil
}

var statements uint64

func (h *harness) context(s *storage.Session) *sql.Context {
	if err := s.CommandBegin(); err != nil {
		h.t.Fatal(err)
	}
	statements++
	return sql.NewContext(context.Background(), sql.WithSession(s), sql.WithPid(statements))
}

func (h *harness) newSession(client sql.Client) *storage.Session {
	s := h.p.NewSession(sql.NewBaseSessionWithClientServer("address", client, 1)).(*storage.Session)
	s.SetCurrentDatabase("mydb")
	h.all = append(h.all, s)
	return s
}

var root = sql.Client{Address: "localhost", User: "root"}

// NewContext implements enginetest.Harness.
func (h *harness) NewContext() *sql.Context {
	if h.p == nil {
		h.fresh()
	}
	if h.session == nil {
		h.session = h.newSession(root)
	}
	return h.context(h.session)
}

// NewSession implements enginetest.TransactionHarness.
func (h *harness) NewSession() *sql.Context {
	h.session = h.newSession(root)
	return h.NewContext()
}

// NewContextWithClient implements enginetest.ClientHarness.
func (h *harness) NewContextWithClient(client sql.Client) *sql.Context {
	return h.context(h.newSession(client))
}

// NewEngine implements enginetest.Harness.
func (h *harness) NewEngine(t *testing.T) (enginetest.QueryEngine, error) {
	h.fresh()
	e, err := enginetest.NewEngine(t, h, h.p, h.scripts, memory.NewStatsProv())
	h.end()
	h.session = nil // LAST_INSERT_ID() must be that of the tests
	return e, err
}

// SupportsNativeIndexCreation implements enginetest.IndexHarness.
func (h *harness) SupportsNativeIndexCreation() bool { return true }

// SupportsForeignKeys implements enginetest.ForeignKeyHarness.
func (h *harness) SupportsForeignKeys() bool { return true }

// SupportsKeylessTables implements enginetest.KeylessTableHarness.
func (h *harness) SupportsKeylessTables() bool { return true }

func TestSuites(t *testing.T) {
	for _, suite := range []struct {
		name string
		run  func(*testing.T, enginetest.Harness)
	}{
		{"Queries", enginetest.TestQueries},
		{"InsertInto", enginetest.TestInsertInto},
		{"InsertIgnore", enginetest.TestInsertIgnoreInto},
		{"Update", enginetest.TestUpdate},
		{"UpdateIgnore", enginetest.TestUpdateIgnore},
		{"Delete", enginetest.TestDelete},
		{"Replace", enginetest.TestReplaceInto},
		{"Joins", enginetest.TestJoinQueries},
		{"ForeignKeys", enginetest.TestForeignKeys},
		{"CreateForeignKeys", enginetest.TestCreateForeignKeys},
		{"DropForeignKeys", enginetest.TestDropForeignKeys},
		{"ChecksOnInsert", enginetest.TestChecksOnInsert},
		{"ChecksOnUpdate", enginetest.TestChecksOnUpdate},
		{"CreateChecks", enginetest.TestCreateCheckConstraints},
		{"DropChecks", enginetest.TestDropCheckConstraints},
		{"AddColumn", enginetest.TestAddColumn},
		{"ModifyColumn", enginetest.TestModifyColumn},
		{"DropColumn", enginetest.TestDropColumn},
		{"RenameColumn", enginetest.TestRenameColumn},
		{"RenameTable", enginetest.TestRenameTable},
		{"AlterTable", enginetest.TestAlterTable},
		{"AddDropPks", enginetest.TestAddDropPks},
		{"ColumnDefaults", enginetest.TestColumnDefaults},
		{"GeneratedColumns", enginetest.TestGeneratedColumns},
		{"Truncate", enginetest.TestTruncate},
		{"OrderBy", enginetest.TestOrderByGroupBy},
		{"Scripts", enginetest.TestScripts},
		{"CreateTable", enginetest.TestCreateTable},
		{"DropTable", enginetest.TestDropTable},
		{"Triggers", enginetest.TestTriggers},
		{"RollbackTriggers", enginetest.TestRollbackTriggers},
		{"StoredProcedures", enginetest.TestStoredProcedures},
		{"Events", enginetest.TestEvents},
		{"Views", enginetest.TestViews},
		{"NullRanges", enginetest.TestNullRanges},
		{"IndexQueries", enginetest.TestIndexQueryPlans},
		{"Charsets", enginetest.TestCharsetCollationEngine},
		{"Fulltext", enginetest.TestFulltextIndexes},
		{"Spatial", enginetest.TestSpatialQueries},
		{"SpatialIndex", enginetest.TestSpatialIndexScripts},
	} {
		t.Run(suite.name, func(t *testing.T) { suite.run(t, newHarness(t)) })
	}
}

func TestTransactionScripts(t *testing.T) {
	for _, script := range queries.TransactionTests {
		enginetest.TestTransactionScript(t, newHarness(t), script)
	}
}
