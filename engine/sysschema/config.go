package sysschema

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

	"pfsd/engine/functions"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/sys"
	"pfsd/instr"
)

// ConfigName is the table of sys that has the settings of its functions and procedures.
const ConfigName = "sys_config"

const collation = sql.Collation_utf8mb4_0900_ai_ci

// Columns of sys_config.
const (
	configVariable = iota
	configValue
	configSetTime
	configSetBy
)

// Config is the table sys.sys_config. It writes each row at once: like the tables of
// performance_schema it has no transactions. Safe for concurrent use.
type Config struct {
	schema sql.Schema
	// Restoring is true while the server reads a dump. The dump's DROP TABLE also drops the
	// triggers of MySQL's sys_config, so the server leaves set_by as the dump has it.
	Restoring atomic.Bool
	Created   time.Time
	Mode      string // the sql_mode of the procedures of sys
	mu        sync.RWMutex
	rows      map[string]sql.Row // by variable, in lower case; guarded by mu
}

var (
	_ memory.MemTable       = (*Config)(nil)
	_ sql.PrimaryKeyTable   = (*Config)(nil)
	_ sql.UpdatableTable    = (*Config)(nil)
	_ sql.InsertableTable   = (*Config)(nil)
	_ sql.ReplaceableTable  = (*Config)(nil)
	_ sql.DeletableTable    = (*Config)(nil)
	_ sql.TruncateableTable = (*Config)(nil)
)

// Session is the session of a statement, as the settings of sys use it. The ProcessList of the
// statement's context implements it.
type Session interface {
	// SetUser sets a user variable.
	SetUser(ctx *sql.Context, name string, value any, kind sql.Type) error
	// CountWrite counts a row that the statement asks the storage to write.
	CountWrite(instr.TableOp)
}

func sessionOf(ctx *sql.Context) Session {
	s, _ := ctx.ProcessList.(Session)
	return s
}

// countWrite counts a row that the statement of ctx writes, if ctx has a session.
func countWrite(ctx *sql.Context, op instr.TableOp) {
	if s := sessionOf(ctx); s != nil {
		s.CountWrite(op)
	}
}

// defaults are the settings of a new server; nil is NULL.
var defaults = map[string]any{
	"diagnostics.allow_i_s_tables":         "OFF",
	"diagnostics.include_raw":              "OFF",
	"ps_thread_trx_info.max_length":        "65535",
	"statement_performance_analyzer.limit": "100",
	"statement_performance_analyzer.view":  nil,
	"statement_truncate_len":               "64",
}

// NewConfig makes the table; mode is the sql_mode of the procedures of sys.
func NewConfig(mode string) *Config {
	now, err := function.NewNow(nil)
	if err != nil {
		panic(err) // it takes no arguments
	}
	current, err := sql.NewColumnDefaultValue(now, types.Timestamp, false, false, false)
	if err != nil {
		panic(err)
	}
	column := func(name string, kind sql.Type, nullable bool) *sql.Column {
		return &sql.Column{Name: name, Type: kind, Nullable: nullable, Source: ConfigName, DatabaseSource: sys.Schema}
	}
	c := &Config{Mode: mode, rows: map[string]sql.Row{}, schema: sql.Schema{
		column("variable", varchar128.Type, false), column("value", varchar128.Type, true),
		column("set_time", types.Timestamp, true), column("set_by", varchar128.Type, true),
	}}
	c.schema[configVariable].PrimaryKey = true
	c.schema[configSetTime].Extra = "DEFAULT_GENERATED on update CURRENT_TIMESTAMP"
	c.schema[configSetTime].Default, c.schema[configSetTime].OnUpdate = current, current
	c.Created = time.Now().UTC().Truncate(time.Second)
	for name, value := range defaults {
		c.rows[name] = sql.NewRow(name, value, c.Created, nil)
	}
	return c
}

// get returns the value of a setting, nil if it is NULL or missing.
func (c *Config) get(variable string) any {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if row := c.rows[strings.ToLower(variable)]; row != nil {
		return row[configValue]
	}
	return nil
}

// setting returns a setting of a function or procedure for the session of ctx: the user variable
// @sys.name if it is not NULL, else the value in sys_config, else byDefault. It sets the user
// variable to the value that it finds, so that the session keeps this value.
func (s *Server) setting(ctx *sql.Context, name, byDefault string) (string, error) {
	variable := sys.Schema + "." + name
	kind, value, err := ctx.GetUserVariable(ctx, variable)
	if err != nil {
		return "", err
	}
	if value != nil {
		return sqlvalue.ShownText(ctx, kind, value), nil
	}
	text, ok := s.Config.get(name).(string)
	if !ok {
		text = byDefault
	}
	if session := sessionOf(ctx); session != nil {
		err = session.SetUser(ctx, variable, text, varchar128.Type)
	}
	return text, err
}

// IgnoreSessionData implements memory.MemTable: no session has rows of its own.
func (c *Config) IgnoreSessionData() bool { return true }

// UnderlyingTable implements memory.MemTable.
func (c *Config) UnderlyingTable() *memory.Table { return nil }

// Name implements sql.Table.
func (c *Config) Name() string { return ConfigName }

// String implements sql.Table.
func (c *Config) String() string { return ConfigName }

// Collation implements sql.Table.
func (c *Config) Collation() sql.CollationID { return collation }

// Schema implements sql.Table.
func (c *Config) Schema(*sql.Context) sql.Schema { return c.schema }

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (c *Config) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema {
	return sql.NewPrimaryKeySchema(c.schema, configVariable)
}

// Len returns the number of settings.
func (c *Config) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.rows)
}

// configRows is the only partition of sys_config: all its rows.
type configRows struct{}

// Key implements sql.Partition.
func (configRows) Key() []byte { return []byte(ConfigName) }

// Partitions implements sql.Table.
func (c *Config) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(configRows{}), nil
}

// PartitionRows implements sql.Table. It returns the current rows in the order of the key.
func (c *Config) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
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
func (c *Config) Updater(*sql.Context) sql.RowUpdater { return configEditor{c} }

// Inserter implements sql.InsertableTable.
func (c *Config) Inserter(*sql.Context) sql.RowInserter { return configEditor{c} }

// Replacer implements sql.ReplaceableTable.
func (c *Config) Replacer(*sql.Context) sql.RowReplacer { return configEditor{c} }

// Deleter implements sql.DeletableTable.
func (c *Config) Deleter(*sql.Context) sql.RowDeleter { return configEditor{c} }

// Truncate implements sql.TruncateableTable.
func (c *Config) Truncate(*sql.Context) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.rows)
	clear(c.rows)
	return n, nil
}

// configEditor writes rows of sys_config. Safe for concurrent use.
type configEditor struct{ table *Config }

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
	row = e.table.withSetBy(ctx, row)
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
	row = e.table.withSetBy(ctx, row)
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

// withSetBy returns the row with the session's client in set_by, unless
// @sys.ignore_sys_config_triggers is true. In MySQL two triggers set this column.
func (c *Config) withSetBy(ctx *sql.Context, row sql.Row) sql.Row {
	row = slices.Clone(row)
	if c.Restoring.Load() {
		return row
	}
	_, ignore, err := ctx.GetUserVariable(ctx, "sys.ignore_sys_config_triggers")
	if is, e := sql.ConvertToBool(ctx, ignore); err == nil && e == nil && ignore != nil && is {
		return row
	}
	row[configSetBy] = functions.Client(ctx)
	return row
}
