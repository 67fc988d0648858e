package usertables

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/bounds"
	"pfsd/engine/grammar"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sqltree"
	"pfsd/engine/syntax"
)

// Views and procedures have the privileges of their definer, unless their definitions say
// otherwise. go-mysql-server does not store the definer. So it is in the text of the definition,
// which go-mysql-server stores.

// defined returns the text of a CREATE statement with its definer. It returns an error if the text
// is too large to be parsed again, so that nobody could use what it defines.
func defined(ctx *sql.Context, text string) (string, error) {
	text = withDefiner(ctx, text)
	w := bounds.Measure(text, syntax.Options(ctx).AnsiQuotes)
	return text, w.Check()
}

func withDefiner(ctx *sql.Context, text string) string {
	parsed := text
	if f, ok := grammar.CreateFunction(text); ok {
		parsed = f.Procedure
	}
	s, err := syntax.Default.ParseSimple(parsed)
	ddl, ok := s.(*ast.DDL)
	access := access.Of(ctx)
	if err != nil || !ok || access == nil {
		return text
	}
	if ddl.ViewSpec != nil && ddl.ViewSpec.Definer != "" || ddl.ProcedureSpec != nil && ddl.ProcedureSpec.Definer != "" || ddl.TriggerSpec != nil && ddl.TriggerSpec.Definer != "" {
		return text
	}
	at := definerAt(text)
	if at < 0 {
		return text
	}
	return text[:at] + " DEFINER=" + access.Account.Quoted() + text[at:]
}

// definerAt returns where the definer belongs in a CREATE statement that has none; a negative number if text is no CREATE. The words before
// it can be in comments that are code.
func definerAt(text string) int {
	r := syntax.Reader{Text: text}
	at := -1
	take := func(words ...string) {
		for i, w := range words {
			if r.Word != w && w != "" || i == 0 && r.Kind != syntax.Word {
				return
			}
			at = r.End
			r.Next()
		}
	}
	r.Next()
	if take("CREATE"); at < 0 {
		return at
	}
	take("OR", "REPLACE")
	take("ALGORITHM", "=", "")
	return at
}

// alterAsCreate returns an ALTER VIEW as the CREATE OR REPLACE VIEW that does the same; any other text as it is.
func alterAsCreate(text string) string {
	r := syntax.Reader{Text: text}
	if r.Next(); r.Kind != syntax.Word || r.Word != "ALTER" {
		return text
	}
	return text[:r.At] + "CREATE OR REPLACE" + text[r.End:]
}

// CreateView implements sql.ViewDatabase.
func (d Database) CreateView(ctx *sql.Context, name, selectStatement, createStatement string) error {
	if err := d.closed(ctx); err != nil {
		return err
	}
	createStatement = alterAsCreate(createStatement)
	// A view has the tables and functions that its text names when it is created, whatever database is current when it is read.
	if db := ctx.GetCurrentDatabase(); db != "" && createsView(ctx) {
		functions := d.of.storedFunctions(ctx, db)
		resolved, err := sqltree.Qualify(ctx, db, createStatement, functions, syntax.Options(ctx))
		if err != nil {
			return err
		}
		if resolved != createStatement {
			if selectStatement, err = sqltree.Body(ctx, resolved, syntax.Options(ctx)); err != nil {
				return err
			}
			createStatement = resolved
		}
	}
	createStatement, err := defined(ctx, createStatement)
	if err != nil {
		return err
	}
	return d.StoredDatabase.CreateView(ctx, name, selectStatement, createStatement)
}

// createsView reports whether the statement creates a view. Another one that stores a view only gives it another name.
func createsView(ctx *sql.Context) bool {
	switch s := mysqlerr.TreeOf(ctx).(type) {
	case *ast.DDL:
		return s.Action != ast.RenameStr
	case *ast.AlterTable:
		return false
	}
	return true
}

// storedFunctions returns the names in lower case of the stored functions of a database that no native function hides.
func (d *Databases) storedFunctions(ctx *sql.Context, db string) map[string]bool {
	found, err := d.Database(ctx, db)
	stored, ok := found.(Database)
	if err != nil || !ok {
		return nil
	}
	all, err := stored.GetStoredFunctions(ctx)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, f := range all {
		if name := strings.ToLower(f.Name); !d.native(name) {
			names[name] = true
		}
	}
	return names
}

// GetViewDefinition implements sql.ViewDatabase.
func (d Database) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	v, ok, err := d.StoredDatabase.GetViewDefinition(ctx, name)
	if s := SessionOf(ctx); s != nil && ok && err == nil {
		s.observer.FindsView(ctx, d.Name())
	}
	return v, ok, err
}
