package engine

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/expression/function"
	vitess "github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqltree"
	"pfsd/engine/wire"
	"pfsd/tables"
)

// typesOf are the types of the columns of a query, as the driver names them from the type and the character set on the wire:
// VARCHAR and TEXT are characters, VARBINARY and BLOB bytes.
func typesOf(q interface {
	Query(...any) (*sql.Rows, error)
}) ([]*sql.ColumnType, error) {
	rows, err := q.Query()
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all, err := rows.ColumnTypes()
	for rows.Next() {
	}
	return all, errors.Join(err, rows.Err())
}

// plainQuery is a query that is not prepared.
type plainQuery struct {
	db *sql.DB
	q  string
}

func (p plainQuery) Query(...any) (*sql.Rows, error) { return p.db.Query(p.q) }

// isBytes tells whether a column's type is one of bytes, and isCharacters whether it is one of characters.
func isBytes(c *sql.ColumnType) bool {
	return strings.Contains(c.DatabaseTypeName(), "BINARY") || strings.Contains(c.DatabaseTypeName(), "BLOB")
}

func isCharacters(c *sql.ColumnType) bool {
	return strings.Contains(c.DatabaseTypeName(), "CHAR") || strings.Contains(c.DatabaseTypeName(), "TEXT")
}

// bytesFunctions are the functions whose results are bytes in MySQL, too.
var bytesFunctions = regexp.MustCompile(`^(aes_(en|de)crypt|char|(un)?compress|(from|to)_(base64|vector)|inet6_aton|load_file|random_bytes|unhex|uuid_to_bin|weight_string|st_as(binary|wkb)|(vec|string).*|vector_to_string)$`)

// TestCharsetsOfFunctions: what a function of texts, numbers or moments answers goes out as characters, but for the few whose
// results are bytes.
func TestCharsetsOfFunctions(t *testing.T) {
	needGeneralFunctions(t)
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	names := slices.Concat(slices.Collect(maps.Keys(ownFunctions())), slices.Collect(maps.Keys(sqltree.Functions())))
	for _, f := range function.BuiltIns {
		names = append(names, f.FunctionName())
	}
	names = append(names, r.query(t, "SELECT CONCAT('sys.', ROUTINE_NAME) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'sys' AND ROUTINE_TYPE = 'FUNCTION'")...)
	slices.Sort(names)
	lists := []string{
		"", "'a'", "'a', 'b'", "'a', 'b', 'c'", "'a', 1", "1", "1, 1", "1, 'a', 'b'", "1, 'a'", "'a', 1, 1", "'{}'", "'2026-11-22'", "'2026-11-22', 'a'",
		`'{"a": 1}', '$.a'`, "'a', 1, 'b'", "'10:00:00'", "'2026-11-22 10:00:00'", "'a', 1, 1, 'b'", "@@version", "@@version, @@sql_mode", "@@version, 1", "@@version, 1, 1",
		"1, @@version, @@sql_mode", "'SELECT 1'", "'2026-11-22', INTERVAL 1 DAY", "NULL", "'00112233-4455-6677-8899-aabbccddeeff'",
	}
	answered := map[string]bool{}
	for _, name := range slices.Compact(names) {
		for _, list := range lists {
			q := "SELECT " + name + "(" + list + ")"
			cols, err := typesOf(plainQuery{r.db, q})
			switch {
			case err != nil: // these are no arguments for it
			case isBytes(cols[0]):
				if !bytesFunctions.MatchString(name) {
					t.Errorf("%s is %s", q, cols[0].DatabaseTypeName())
				}
			case isCharacters(cols[0]):
				answered[name] = true
			}
		}
	}
	if len(answered) < 100 {
		t.Errorf("only %d functions answer with characters: %q", len(answered), slices.Sorted(maps.Keys(answered)))
	}
}

// TestCharsetsOfVariables: system variables that are texts are characters, by themselves, in expressions, kept in a user
// variable, and prepared.
func TestCharsetsOfVariables(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	numbers := regexp.MustCompile(`^-?[0-9.]+$`)
	characters := 0
	for _, row := range r.query(t, "SHOW VARIABLES") {
		name, value, _ := strings.Cut(row, "|")
		for _, q := range []string{"SELECT @@%s", "SELECT @@GLOBAL.%s", "SELECT IFNULL(@@%s, 'x')", "SELECT COALESCE(@@%s)", "SELECT MAX(@@%[1]s)", "SELECT @v := @@%[1]s", "SELECT v FROM (SELECT @@%s AS v) AS d", "SELECT CASE WHEN 1 THEN @@%s END", "SELECT @@%[1]s UNION SELECT @@%[1]s"} {
			q = fmt.Sprintf(q, name)
			cols, err := typesOf(plainQuery{r.db, q})
			if err != nil {
				if strings.Contains(err.Error(), "1238") {
					continue // it is only a session's, or only global
				}
				t.Errorf("%s: %v", q, err)
				continue
			}
			if isCharacters(cols[0]) {
				characters++
			}
			if isBytes(cols[0]) {
				t.Errorf("%s (%s) is %s", q, value, cols[0].DatabaseTypeName())
			}
			if !isCharacters(cols[0]) && value != "" && !numbers.MatchString(value) && value != "ON" && value != "OFF" {
				t.Errorf("%s (%s) is %s", q, value, cols[0].DatabaseTypeName())
			}
		}
	}
	if characters < 500 {
		t.Errorf("only %d of the answers are characters", characters)
	}
	for _, q := range []string{"SELECT @@sql_mode, @@version, @@time_zone, VERSION(), USER(), DATABASE(), 'x', CONCAT(@@version, 'x'), LEFT(@@sql_mode, 3)"} {
		st, err := r.db.Prepare(q)
		if err != nil {
			t.Fatal(err)
		}
		cols, err := typesOf(st)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cols {
			if !isCharacters(c) {
				t.Errorf("%s of %s is %s where it is prepared", c.Name(), q, c.DatabaseTypeName())
			}
		}
	}
}

// TestCharsetsOfColumns: columns of tables and of SHOW go out as what information_schema says they are, and those of SHOW, which it
// does not have, as characters where they are texts.
func TestCharsetsOfColumns(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "CREATE TABLE test.kinds (a CHAR(3), b VARCHAR(3), c TEXT, d ENUM('x','y'), e SET('x','y'), f BINARY(3), g VARBINARY(3), h BLOB, i JSON, j INT, k DATE, l VARCHAR(3) CHARACTER SET latin1, m TINYTEXT, n LONGBLOB, o BIT(3))")
	kinds := map[string][]string{}
	for _, row := range r.query(t, "SELECT CONCAT('`', TABLE_SCHEMA, '`.`', TABLE_NAME, '`'), COLUMN_NAME, DATA_TYPE, CHARACTER_SET_NAME FROM information_schema.COLUMNS ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION") {
		cells := strings.SplitN(row, "|", 2)
		kinds[cells[0]] = append(kinds[cells[0]], cells[1])
	}
	for table, columns := range kinds {
		cols, err := typesOf(plainQuery{r.db, "SELECT * FROM " + table + " LIMIT 0"})
		if err != nil {
			t.Errorf("%s: %v", table, err)
			continue
		}
		for i, c := range cols {
			name, rest, _ := strings.Cut(columns[i], "|")
			kind, charset, _ := strings.Cut(rest, "|")
			bytes := strings.Contains(kind, "binary") || strings.Contains(kind, "blob")
			characters := charset != "NULL" && kind != "enum" && kind != "set"
			if name != c.Name() || isBytes(c) != bytes || characters && !isCharacters(c) {
				t.Errorf("%s.%s, %s of %s, goes out as %s", table, c.Name(), kind, charset, c.DatabaseTypeName())
			}
		}
	}
	for _, q := range []string{
		"SHOW VARIABLES", "SHOW STATUS", "SHOW DATABASES", "SHOW TABLES FROM sys", "SHOW FULL TABLES FROM sys", "SHOW TABLE STATUS FROM test", "SHOW COLUMNS FROM test.kinds", "SHOW FULL COLUMNS FROM test.kinds",
		"SHOW INDEX FROM performance_schema.threads", "SHOW CREATE TABLE test.kinds", "SHOW CREATE DATABASE test", "SHOW CREATE VIEW sys.version", "SHOW CREATE USER root@localhost", "SHOW GRANTS",
		"SHOW PROCESSLIST", "SHOW FULL PROCESSLIST", "SHOW ENGINES", "SHOW ENGINE INNODB STATUS", "SHOW ENGINE PERFORMANCE_SCHEMA STATUS", "SHOW PLUGINS", "SHOW PRIVILEGES", "SHOW CHARACTER SET", "SHOW COLLATION",
		"SHOW PROCEDURE STATUS", "SHOW FUNCTION STATUS", "SHOW CREATE PROCEDURE sys.diagnostics", "SHOW TRIGGERS FROM sys", "SHOW EVENTS FROM test", "SHOW WARNINGS", "SHOW ERRORS", "SHOW OPEN TABLES", "SHOW PROFILES",
		"SHOW PROFILE", "SHOW BINARY LOG STATUS", "SHOW REPLICA STATUS", "DESCRIBE test.kinds", "EXPLAIN SELECT 1", "EXPLAIN FORMAT=TREE SELECT 1", "EXPLAIN FORMAT=JSON SELECT 1", "EXPLAIN ANALYZE SELECT 1",
		"CHECK TABLE test.kinds", "ANALYZE TABLE test.kinds", "CHECKSUM TABLE test.kinds", "OPTIMIZE TABLE test.kinds", "HELP 'select'", "XA RECOVER",
	} {
		cols, err := typesOf(plainQuery{r.db, q})
		if err != nil {
			t.Errorf("%s: %v", q, err)
		}
		for _, c := range cols {
			if isBytes(c) {
				t.Errorf("%s: %s goes out as %s", q, c.Name(), c.DatabaseTypeName())
			}
		}
	}
}

// TestCharsetOfResults: the number on the wire is that of the connection's character set.
func TestCharsetOfResults(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	c := dialRaw(t, r.addr, helloOf(rawCapabilities&^vitess.CapabilityClientConnectWithDB, 255, "\x00", nil))
	const q = "SELECT @@sql_mode, VERSION(), USER(), 'x', @@port, x'41'"
	for _, with := range []struct {
		set  string
		want []uint16
	}{
		{"SET NAMES utf8mb4", []uint16{255, 255, 255, 255, 63, 63}},
		{"SET NAMES latin1", []uint16{8, 8, 8, 8, 63, 63}},
		{"SET character_set_results = utf8mb3", []uint16{33, 33, 33, 33, 63, 63}},
		{"SET character_set_results = 'binary'", []uint16{63, 63, 63, 63, 63, 63}},
		{"SET NAMES utf8mb4 COLLATE utf8mb4_bin", []uint16{255, 255, 255, 255, 63, 63}},
	} {
		c.write(commandOf(wire.ComQuery, []byte(with.set)...))
		c.ok()
		c.write(commandOf(wire.ComQuery, []byte(q)...))
		columns := int(c.read()[0])
		var got []uint16
		for range columns {
			p := c.read()
			got = append(got, binary.LittleEndian.Uint16(p[len(p)-12:])) // 12 bytes: charset, length, type, flags, decimals, two that are 0
		}
		for eofs := 0; eofs < 2; {
			if p := c.read(); p[0] == 0xfe && len(p) < 9 {
				eofs++
			}
		}
		if !slices.Equal(got, with.want) {
			t.Errorf("after %s: the character sets of %s are %v, want %v", with.set, q, got, with.want)
		}
	}
}
