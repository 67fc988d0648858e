package infoschema

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/moment"
	"pfsd/engine/routine"
	"pfsd/engine/syntax"
	"pfsd/engine/vtable"
)

// definedTrigger is a trigger with its parsed CREATE TRIGGER.
type definedTrigger struct {
	sql.TriggerDefinition
	DDL *ast.DDL
}

// TriggersOf returns the triggers of a database. Triggers of the same table, event and time are in
// the order in which they run.
func TriggersOf(ctx *sql.Context, db sql.TriggerDatabase) (all []definedTrigger, err error) {
	found, err := db.GetTriggers(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b sql.TriggerDefinition) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for _, t := range found {
		s, err := syntax.Default.ParseSimple(t.CreateStatement)
		ddl, ok := s.(*ast.DDL)
		if err != nil || !ok || ddl.TriggerSpec == nil {
			continue
		}
		at := len(all)
		if o := ddl.TriggerSpec.Order; o != nil {
			other := slices.IndexFunc(all, func(d definedTrigger) bool { return strings.EqualFold(d.Name, o.OtherTriggerName) })
			if other >= 0 && o.PrecedesOrFollows == ast.PrecedesStr {
				at = other
			} else if other >= 0 {
				at = other + 1
			}
		}
		all = slices.Insert(all, at, definedTrigger{t, ddl})
	}
	return all, nil
}

// body returns the statement that the trigger runs.
func (t definedTrigger) body() string { return routine.ProgramBody(t.CreateStatement, t.DDL) }

// definer returns the trigger's definer.
func (t definedTrigger) definer() string {
	return strings.ReplaceAll(t.DDL.TriggerSpec.Definer, "`", "")
}

// ShowTriggers returns the rows of SHOW TRIGGERS.
//
// go-mysql-server: shows all triggers, without definer and sql_mode. MySQL: shows the triggers of
// the tables on which the session has the privilege TRIGGER.
func (s *Server) ShowTriggers(ctx *sql.Context, db string) (sql.RowIter, error) {
	all, err := s.triggerRows(ctx, db, "")
	rows := make([]sql.Row, len(all))
	for i, r := range all {
		for _, column := range []int{2, 3, 6, 9, 11, 16, 17, 18, 19, 20, 21} {
			rows[i] = append(rows[i], r[column])
		}
	}
	return sql.RowsToRowIter(rows...), err
}

// triggerRows returns the rows of TRIGGERS for the tables on which the session has the privilege
// TRIGGER.
func (s *Server) triggerRows(ctx *sql.Context, schema, table string) (rows []sql.Row, err error) {
	zone := moment.Zone(ctx)
	for _, db := range s.schemas(ctx, schema) {
		d, ok := db.(sql.TriggerDatabase)
		if !ok {
			continue
		}
		all, err := TriggersOf(ctx, d)
		if err != nil {
			return nil, err
		}
		order := map[string]uint32{} // by table, event and time
		for _, t := range all {
			spec, of := t.DDL.TriggerSpec, t.DDL.Table.Name.String()
			key := strings.ToLower(of + " " + spec.Event + " " + spec.Time)
			order[key]++
			if !inScope(db.Name(), of, schema, table) || !access.Of(ctx).Table(db.Name(), of).Has(accounts.Trigger) {
				continue
			}
			rows = append(rows, sql.Row{
				catalogName, db.Name(), t.Name, strings.ToUpper(spec.Event), catalogName, db.Name(), of, order[key], nil,
				t.body(), "ROW", strings.ToUpper(spec.Time), nil, nil, "OLD", "NEW",
				moment.Wall(t.CreatedAt, 2, zone), ModeText(t.SqlMode), t.definer(),
				"utf8mb4", vtable.Collation.Name(), vtable.Collation.Name(),
			})
		}
	}
	return rows, nil
}
