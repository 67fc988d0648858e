package parsing

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/catalog"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/routine"
	"pfsd/engine/syntax"
	"pfsd/instr"
)

// createFunction executes CREATE FUNCTION in the database of a name.
func (u Unparsed) createFunction(ctx *sql.Context, name string) error {
	if name == "" {
		return mysqlerr.NoDatabase()
	}
	db := u.provider.FunctionsOf(ctx, name)
	if db == nil {
		return mysqlerr.UnknownDatabase(name)
	}
	f, err := routine.ParseFunction(ctx, syntax.Default, u.Text, syntax.Options(ctx))
	if err != nil {
		return err
	}
	if _, exists, err := db.GetStoredFunction(ctx, f.Declared.Name.Name); err != nil {
		return err
	} else if exists && f.Declared.IfNotExists {
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: 1304, Message: "FUNCTION " + f.Declared.Name.Name + " already exists"})
		return nil
	}
	texts := routine.ProgramTexts(routine.ProgramBody(u.Text, f.DDL), f.ProcedureSpec.Body)
	if err := f.Refusal(db.Name(), texts); err != nil {
		return err
	}
	if _, err := f.Callable(db.Name(), sql.StoredProcedureDetails{}, nil); err != nil {
		return err
	}
	now := time.Now()
	err = db.SaveStoredFunction(ctx, sql.StoredProcedureDetails{
		Name: f.Declared.Name.Name, CreateStatement: u.Text, CreatedAt: now, ModifiedAt: now, SqlMode: sql.LoadSqlMode(ctx).String(),
	})
	if _, native := catalog.Functions[strings.ToLower(f.Declared.Name.Name)]; err == nil && native {
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: 1585, Message: "This function '" + f.Declared.Name.Name + "' has the same name as a native function"})
	}
	return err
}

// dropFunction executes DROP FUNCTION. The statistics of the function are dropped, too.
func (u Unparsed) dropFunction(ctx *sql.Context, db catalog.StoredFunctions, name string) error {
	if err := db.DropStoredFunction(ctx, name); err != nil {
		return err
	}
	u.provider.Registry.DropProgram(instr.ObjectFunction, db.Name(), name)
	return nil
}
