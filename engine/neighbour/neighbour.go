package neighbour

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
)

// AnswersAlone are the results of an engine in a process that does not use go-mysql-server otherwise.
//
//go:embed testdata/answers.txt
var AnswersAlone string

// statements use what a process shares: variables, status, modes, functions, aggregates, analyzer rules, and logging.
var statements = []string{
	"CREATE TABLE t (a INT PRIMARY KEY AUTO_INCREMENT, s VARCHAR(20), d DECIMAL(10,3), KEY (s))",
	"INSERT INTO t (s, d) VALUES ('a', 1.5), ('B', 2.25), ('b', NULL), ('c', 100)",
	"CREATE TABLE log (n INT)",
	"CREATE TRIGGER note AFTER INSERT ON t FOR EACH ROW INSERT INTO log VALUES (NEW.a)",
	"CREATE DATABASE other", "USE other", "INSERT INTO db.t (s) VALUES ('x')", "USE db",
	"SELECT COUNT(*) FROM log",
	"SELECT SUM(a), AVG(a), SUM(d), AVG(d), GROUP_CONCAT(s ORDER BY s SEPARATOR '|'), COUNT(DISTINCT s), MAX(s) FROM t",
	"SELECT `sum exact`(a) FROM t", "SELECT s, SUM(a) OVER (PARTITION BY s ORDER BY a) FROM t ORDER BY a",
	"SELECT s, a FROM t GROUP BY s", "SELECT 1/3, 7 DIV 2, 7 % 3, 1 + '1', 0.1 + 0.2, -7 DIV 2, 1 << 65",
	"SELECT @@sql_mode, @@GLOBAL.sql_mode, @@version, @@version_comment, @@max_connections, @@autocommit, @@character_set_client",
	"SET SESSION sql_mode = 'ANSI'", "SELECT @@sql_mode", "SET SESSION sql_mode = DEFAULT", "SELECT @@sql_mode",
	"SET GLOBAL max_connections = 77", "SELECT @@GLOBAL.max_connections", "SET GLOBAL max_connections = 151", "SELECT @@local_infile, @@performance_schema_digests_size",
	"INSERT INTO t (s, d) VALUES ('zero', '0000-00-00')", "SELECT CAST('x' AS SIGNED), CAST('1e400' AS DOUBLE)",
	"SHOW GLOBAL STATUS LIKE 'Com_insert'", "SHOW SESSION STATUS LIKE 'Com_select'", "SHOW STATUS LIKE 'Threads%'",
	"SELECT 'a' LIKE 'A', 'abc' REGEXP '^A', JSON_EXTRACT('[1, 2]', '$[last]'), TRIM(LEADING 'a' FROM 'aab'), FIELD('b', 'a', 'B'), NULLIF(1, 1)",
	"SELECT FORMAT_BYTES(1024)", "SELECT PS_THREAD_ID(1)", "SELECT * FROM performance_schema.threads", "SELECT COUNT(*) > 0 FROM information_schema.tables",
	"SELECT nosuch FROM t", "SELEC", "SHOW PROCESSLIST", "KILL 12345", "CREATE PROCEDURE p() SELECT 1", "CALL p()", "EXPLAIN SELECT * FROM t WHERE a = 1",
}

// Answers makes an engine, and returns the results of statements.
func Answers() string {
	db := memory.NewDatabase("db")
	provider := memory.NewDBProvider(db)
	engine := sqle.NewDefault(provider)
	defer engine.Close()
	session := memory.NewSession(sql.NewBaseSession(), provider)
	session.SetCurrentDatabase("db")
	var b strings.Builder
	for _, statement := range statements {
		fmt.Fprintf(&b, "%s\n", statement)
		ctx := sql.NewContext(context.Background(), sql.WithSession(session))
		if err := answer(ctx, engine, statement, &b); err != nil {
			fmt.Fprintf(&b, "\terror: %.200v\n", err)
		}
	}
	names := sql.SystemVariables.GetAllGlobalVariables()
	for _, name := range sortedKeys(names) {
		if !slices.Contains(machineDependent, name) {
			fmt.Fprintf(&b, "%s = %v\n", name, names[name])
		}
	}
	return b.String()
}

// machineDependent are variables whose values depend on the machine.
var machineDependent = []string{"hostname", "tmpdir", "system_time_zone", "server_uuid", "datadir", "basedir", "version_compile_machine", "version_compile_os", "secure_file_priv", "port"}

func sortedKeys(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// answer writes the rows of a statement.
func answer(ctx *sql.Context, engine *sqle.Engine, statement string, b *strings.Builder) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	schema, rows, _, err := engine.Query(ctx, statement)
	if err != nil {
		return err
	}
	for {
		row, err := rows.Next(ctx)
		if err != nil {
			break
		}
		b.WriteByte('\t')
		for i, v := range row {
			if i < len(schema) {
				fmt.Fprintf(b, "%s:%v ", schema[i].Type, v)
				continue
			}
			fmt.Fprintf(b, "%v ", v)
		}
		b.WriteByte('\n')
	}
	return rows.Close(ctx)
}
