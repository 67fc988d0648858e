package engine

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/compat"
	"pfsd/engine/sys"
	"pfsd/instr"
)

// sysConfigName is the table of sys that has the settings of its functions and procedures.
const sysConfigName = "sys_config"

const sysCollation = sql.Collation_utf8mb4_0900_ai_ci

// Columns of sys_config.
const (
	configVariable = iota
	configValue
	configSetTime
	configSetBy
)

// sysConfig is the table sys.sys_config. Each row is written at once: like the tables of
// performance_schema it has no transactions. Safe for concurrent use.
type sysConfig struct {
	schema sql.Schema
	// restoring tells that a dump is being read: DROP TABLE took the triggers away, too.
	restoring atomic.Bool
	created   time.Time
	mode      string // the sql_mode that the procedures of sys are carried out with
	mu        sync.RWMutex
	rows      map[string]sql.Row // by variable, in lower case; guarded by mu
}

var (
	_ memory.MemTable       = (*sysConfig)(nil)
	_ sql.PrimaryKeyTable   = (*sysConfig)(nil)
	_ sql.UpdatableTable    = (*sysConfig)(nil)
	_ sql.InsertableTable   = (*sysConfig)(nil)
	_ sql.ReplaceableTable  = (*sysConfig)(nil)
	_ sql.DeletableTable    = (*sysConfig)(nil)
	_ sql.TruncateableTable = (*sysConfig)(nil)
)

// sysSession is what the settings of sys ask of the session of a statement. The ProcessList of its context implements it.
type sysSession interface {
	// SetUser sets a user variable.
	SetUser(ctx *sql.Context, name string, value any, kind sql.Type) error
	// CountWrite counts that the storage is asked to write a row.
	CountWrite(instr.TableOp)
}

func sysSessionOf(ctx *sql.Context) sysSession {
	s, _ := ctx.ProcessList.(sysSession)
	return s
}

// countWrite counts that the statement of ctx writes a row, if it is anybody's.
func countWrite(ctx *sql.Context, op instr.TableOp) {
	if s := sysSessionOf(ctx); s != nil {
		s.CountWrite(op)
	}
}

// sysDefaults are the settings that there are from the start; nil is NULL.
var sysDefaults = map[string]any{
	"diagnostics.allow_i_s_tables":         "OFF",
	"diagnostics.include_raw":              "OFF",
	"ps_thread_trx_info.max_length":        "65535",
	"statement_performance_analyzer.limit": "100",
	"statement_performance_analyzer.view":  nil,
	"statement_truncate_len":               "64",
}

// newSysConfig makes the table; mode is the sql_mode that the procedures of sys are carried out with.
func newSysConfig(mode string) *sysConfig {
	now, err := function.NewNow(nil)
	if err != nil {
		panic(err) // it takes no arguments
	}
	current, err := sql.NewColumnDefaultValue(now, types.Timestamp, false, false, false)
	if err != nil {
		panic(err)
	}
	column := func(name string, kind sql.Type, nullable bool) *sql.Column {
		return &sql.Column{Name: name, Type: kind, Nullable: nullable, Source: sysConfigName, DatabaseSource: sys.Schema}
	}
	c := &sysConfig{mode: mode, rows: map[string]sql.Row{}, schema: sql.Schema{
		column("variable", sysVarchar128.kind, false), column("value", sysVarchar128.kind, true),
		column("set_time", types.Timestamp, true), column("set_by", sysVarchar128.kind, true),
	}}
	c.schema[configVariable].PrimaryKey = true
	c.schema[configSetTime].Extra = "DEFAULT_GENERATED on update CURRENT_TIMESTAMP"
	c.schema[configSetTime].Default, c.schema[configSetTime].OnUpdate = current, current
	c.created = time.Now().UTC().Truncate(time.Second)
	for name, value := range sysDefaults {
		c.rows[name] = sql.NewRow(name, value, c.created, nil)
	}
	return c
}

// get is the value of a setting, nil if it is NULL or missing.
func (c *sysConfig) get(variable string) any {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if row := c.rows[strings.ToLower(variable)]; row != nil {
		return row[configValue]
	}
	return nil
}

// sysSetting is a setting of a function or procedure for the session of ctx: the user variable
// @sys.name if it is not NULL, else the setting that everybody has, or the value that it has by
// default; and from then on that is what the user variable is.
func (s *sysServer) sysSetting(ctx *sql.Context, name, byDefault string) (string, error) {
	variable := sys.Schema + "." + name
	kind, value, err := ctx.GetUserVariable(ctx, variable)
	if err != nil {
		return "", err
	}
	if value != nil {
		return compat.ShownText(ctx, kind, value), nil
	}
	text, ok := s.config.get(name).(string)
	if !ok {
		text = byDefault
	}
	if session := sysSessionOf(ctx); session != nil {
		err = session.SetUser(ctx, variable, text, sysVarchar128.kind)
	}
	return text, err
}

// IgnoreSessionData implements memory.MemTable: no session has rows of its own.
func (c *sysConfig) IgnoreSessionData() bool { return true }

// UnderlyingTable implements memory.MemTable.
func (c *sysConfig) UnderlyingTable() *memory.Table { return nil }

// Name implements sql.Table.
func (c *sysConfig) Name() string { return sysConfigName }

// String implements sql.Table.
func (c *sysConfig) String() string { return sysConfigName }

// Collation implements sql.Table.
func (c *sysConfig) Collation() sql.CollationID { return sysCollation }

// Schema implements sql.Table.
func (c *sysConfig) Schema(*sql.Context) sql.Schema { return c.schema }

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (c *sysConfig) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema {
	return sql.NewPrimaryKeySchema(c.schema, configVariable)
}

// Len is how many settings there are.
func (c *sysConfig) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.rows)
}

// sysConfigRows is all rows of sys_config.
type sysConfigRows struct{}

// Key implements sql.Partition.
func (sysConfigRows) Key() []byte { return []byte(sysConfigName) }

// Partitions implements sql.Table.
func (c *sysConfig) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(sysConfigRows{}), nil
}

// PartitionRows implements sql.Table: the rows as they are now, in the order of the key.
func (c *sysConfig) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := make([]sql.Row, 0, len(c.rows))
	for _, row := range c.rows {
		all = append(all, slices.Clone(row))
	}
	slices.SortFunc(all, func(x, y sql.Row) int { return strings.Compare(configKey(x), configKey(y)) })
	return sql.RowsToRowIter(all...), nil
}

func configKey(row sql.Row) string {
	name, _ := row[configVariable].(string)
	return strings.ToLower(name)
}

// Updater implements sql.UpdatableTable.
func (c *sysConfig) Updater(*sql.Context) sql.RowUpdater { return configEditor{c} }

// Inserter implements sql.InsertableTable.
func (c *sysConfig) Inserter(*sql.Context) sql.RowInserter { return configEditor{c} }

// Replacer implements sql.ReplaceableTable.
func (c *sysConfig) Replacer(*sql.Context) sql.RowReplacer { return configEditor{c} }

// Deleter implements sql.DeletableTable.
func (c *sysConfig) Deleter(*sql.Context) sql.RowDeleter { return configEditor{c} }

// Truncate implements sql.TruncateableTable.
func (c *sysConfig) Truncate(*sql.Context) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.rows)
	clear(c.rows)
	return n, nil
}

// configEditor writes rows of sys_config. Safe for concurrent use.
type configEditor struct{ table *sysConfig }

var _ sql.TableEditor = configEditor{}

// StatementBegin implements sql.EditOpenerCloser.
func (configEditor) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (configEditor) DiscardChanges(*sql.Context, error) error { return nil }

// StatementComplete implements sql.EditOpenerCloser.
func (configEditor) StatementComplete(*sql.Context) error { return nil }

// Close implements sql.Closer.
func (configEditor) Close(*sql.Context) error { return nil }

// Insert implements sql.RowInserter.
func (e configEditor) Insert(ctx *sql.Context, row sql.Row) error {
	row = e.table.signed(ctx, row)
	countWrite(ctx, instr.TableInsert)
	return e.put(row)
}

// put adds a row.
func (e configEditor) put(row sql.Row) error {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	key := configKey(row)
	if existing := e.table.rows[key]; existing != nil {
		return sql.NewUniqueKeyErr("['"+existing[configVariable].(string)+"']", true, slices.Clone(existing))
	}
	e.table.rows[key] = row
	return nil
}

// Update implements sql.RowUpdater.
func (e configEditor) Update(ctx *sql.Context, old, row sql.Row) error {
	row = e.table.signed(ctx, row)
	countWrite(ctx, instr.TableUpdate)
	if configKey(old) == configKey(row) {
		e.table.mu.Lock()
		defer e.table.mu.Unlock()
		e.table.rows[configKey(row)] = row
		return nil
	}
	if err := e.put(row); err != nil {
		return err
	}
	return e.remove(old)
}

// Delete implements sql.RowDeleter.
func (e configEditor) Delete(ctx *sql.Context, row sql.Row) error {
	countWrite(ctx, instr.TableDelete)
	return e.remove(row)
}

func (e configEditor) remove(row sql.Row) error {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	delete(e.table.rows, configKey(row))
	return nil
}

// signed is a row with who has set it, unless @sys.ignore_sys_config_triggers is true. In MySQL two
// triggers do that.
func (c *sysConfig) signed(ctx *sql.Context, row sql.Row) sql.Row {
	row = slices.Clone(row)
	if c.restoring.Load() {
		return row
	}
	_, ignore, err := ctx.GetUserVariable(ctx, "sys.ignore_sys_config_triggers")
	if is, e := sql.ConvertToBool(ctx, ignore); err == nil && e == nil && ignore != nil && is {
		return row
	}
	row[configSetBy] = clientName(ctx)
	return row
}
