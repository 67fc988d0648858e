package infoschema

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"

	"pfsd/engine/mends/mendtest"
)

func TestInfoSchemaGivesEachQueryItsOwnTable(t *testing.T) {
	ctx := sql.NewEmptyContext()
	shared := information_schema.NewInformationSchemaDatabase()
	perQuery := &Database{Database: shared, Own: []OwnSchema{ownSchema{}}, Catalog: noDatabases{}}
	for _, name := range []string{"tables", "columns", "routines", "ENGINES"} {
		get := func(db sql.Database) sql.Table {
			t.Helper()
			table, ok, err := db.GetTableInsensitive(ctx, name)
			if err != nil || !ok {
				t.Fatalf("%s: %t, %v", name, ok, err)
			}
			return table
		}
		if name == "tables" && get(shared) != get(shared) {
			mendtest.NoLongerNeeded(t, "database.go")
		}
		if get(perQuery) == get(perQuery) {
			t.Errorf("two queries share the table %s", name)
		}
	}
}

// Every table says who sees its rows.
func TestEveryTableSaysWhoSeesIt(t *testing.T) {
	names, err := information_schema.NewInformationSchemaDatabase().GetTableNames(sql.NewEmptyContext())
	if err != nil || len(names) < 60 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if name = strings.ToLower(name); seenBy[name] == 0 && name != "tablespaces" { // which is not shown
			t.Errorf("nothing says who sees the rows of %s", name)
		}
	}
}

// ownSchema has no tables.
type ownSchema struct{}

func (ownSchema) Name() string { return "own" }

func (ownSchema) Rest(sql.Database) sql.Database { return nil }

func (ownSchema) Described(*sql.Context, string, string) (rows []sql.Row, ok bool) { return nil, true }

// noDatabases is a catalog without databases.
type noDatabases struct{ sql.Catalog }

func (noDatabases) AllDatabases(*sql.Context) []sql.Database { return nil }
