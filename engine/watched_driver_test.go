package engine

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/go-sql-driver/mysql"

	"pfsd/instr"
	"pfsd/instr/instrsql"
)

// A program sees the same, whether or not its database is watched, and go-sql-driver keeps its optional interfaces.
func TestWatchedDriver(t *testing.T) {
	r := serveAll(t, Options{})
	if _, err := r.db.Exec("CREATE TABLE test.watched (n BIGINT UNSIGNED PRIMARY KEY, s TEXT, b BLOB)"); err != nil {
		t.Fatal(err)
	}
	reg := instr.NewRegistry()
	reg.Setup().SetConsumer(instr.ConsumerEventsStatementsHistoryLong, true)
	source := "root@tcp(" + r.addr + ")/test?interpolateParams=false&multiStatements=true"
	use := func(db *sql.DB) (seen []string) {
		defer func() { _ = db.Close() }()
		see := func(values ...any) { seen = append(seen, fmt.Sprintln(values...)) }
		const largest = uint64(1<<64 - 1) // what only the driver's connection converts
		result, err := db.Exec("INSERT INTO watched VALUES (?, ?, ?)", largest, "x", []byte{1})
		if err != nil {
			t.Fatal(err)
		}
		see(result.RowsAffected())
		rows, err := db.Query("SELECT n, s, b FROM watched WHERE n = ?; SELECT 2", largest)
		see(err)
		if rows != nil {
			t.Error("several statements are prepared")
		}
		if rows, err = db.Query("SELECT n, s, b FROM watched; SELECT 2"); err != nil {
			t.Fatal(err)
		}
		types, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range types {
			length, ok := c.Length()
			null, known := c.Nullable()
			see(c.Name(), c.DatabaseTypeName(), c.ScanType(), length, ok, null, known)
		}
		for more := true; more; more = rows.NextResultSet() {
			for rows.Next() {
				columns, err := rows.Columns()
				see(columns, err)
			}
		}
		see(rows.Err(), rows.Close())
		s, err := db.Prepare("SELECT n FROM watched WHERE n = ?")
		if err != nil {
			t.Fatal(err)
		}
		var n uint64
		see(s.QueryRow(largest).Scan(&n), n, s.Close())
		_, err = db.Exec("DELETE FROM watched")
		see(err)
		_, err = db.Exec("this is no SQL")
		see(err)
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		see(instrsql.Raw(c, func(x any) error { see(fmt.Sprintf("%T", x)); return nil }), c.Close())
		return seen
	}
	plain, err := sql.Open("mysql", source)
	if err != nil {
		t.Fatal(err)
	}
	watched, err := instrsql.Open("mysql", source, instrsql.WithRegistry(reg))
	if err != nil {
		t.Fatal(err)
	}
	if want, got := use(plain), use(watched); !slices.Equal(got, want) {
		t.Errorf("watched: %q\nplain: %q", got, want)
	}
	errno := 0
	for _, s := range reg.Reader().StatementsHistoryLong() {
		if s.SQLText == "this is no SQL" {
			errno = s.Errno
		}
	}
	if errno != 1064 {
		t.Errorf("what is no SQL has the error %d", errno)
	}

	ours := instrsql.WrapDriver(&mysql.MySQLDriver{}, instrsql.WithRegistry(reg))
	var conns [2]driver.Conn
	for i, d := range []driver.Driver{&mysql.MySQLDriver{}, ours} {
		if conns[i], err = d.Open(source); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conns[i].Close() }()
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[driver.ConnBeginTx](), reflect.TypeFor[driver.ConnPrepareContext](), reflect.TypeFor[driver.ExecerContext](), reflect.TypeFor[driver.QueryerContext](),
		reflect.TypeFor[driver.NamedValueChecker](), reflect.TypeFor[driver.Pinger](), reflect.TypeFor[driver.SessionResetter](), reflect.TypeFor[driver.Validator](),
	} {
		if reflect.TypeOf(conns[0]).Implements(of) && !reflect.TypeOf(conns[1]).Implements(of) {
			t.Errorf("%T is no %v", conns[1], of)
		}
	}
}
