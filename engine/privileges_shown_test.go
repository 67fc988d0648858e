package engine

import (
	"database/sql"
	"strings"
	"testing"
)

// shownMark is in each name and each text of what nobody but root may see.
const shownMark = "hushhush"

// shownWorld makes an object of each sort, with the mark, in a database in which somebody has other privileges.
func shownWorld(t *testing.T) *running {
	r := serve(t, Options{Init: []string{"CREATE USER one@localhost", "CREATE USER parts@localhost", "CREATE USER none@localhost"}})
	for _, q := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.seen (a INT PRIMARY KEY, b INT)", "CREATE PROCEDURE d.seen() SELECT 1",
		"CREATE TABLE d.t_HUSH (id_HUSH INT PRIMARY KEY, b_HUSH VARCHAR(20) DEFAULT 'HUSH' COMMENT 'HUSH', c_HUSH INT AS (id_HUSH + 1), g_HUSH POINT NOT NULL SRID 0, " +
			"CONSTRAINT k_HUSH CHECK (id_HUSH > 1), KEY i_HUSH (b_HUSH)) COMMENT 'HUSH'",
		"CREATE TABLE d.f_HUSH (id INT PRIMARY KEY, o INT, CONSTRAINT r_HUSH FOREIGN KEY (o) REFERENCES d.t_HUSH (id_HUSH))",
		"CREATE VIEW d.v_HUSH AS SELECT b_HUSH FROM d.t_HUSH", "CREATE VIEW d.w_HUSH AS SELECT sys.format_path('HUSH') AS p_HUSH",
		"CREATE PROCEDURE d.p_HUSH(a_HUSH INT) COMMENT 'HUSH' SELECT 'HUSH'", "CREATE FUNCTION d.n_HUSH(a_HUSH INT) RETURNS VARCHAR(20) RETURN 'HUSH'",
		"CREATE TRIGGER d.g_HUSH BEFORE INSERT ON d.t_HUSH FOR EACH ROW SET @a = 'HUSH'",
		"CREATE EVENT d.e_HUSH ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01' COMMENT 'HUSH' DO SELECT 'HUSH'",
		"CREATE DATABASE d_HUSH", "CREATE USER u_HUSH COMMENT 'HUSH'", "GRANT SELECT ON d.t_HUSH TO u_HUSH", "GRANT SELECT (b_HUSH) ON d.t_HUSH TO u_HUSH",
		"GRANT EXECUTE ON PROCEDURE d.p_HUSH TO u_HUSH", "GRANT SELECT ON d_HUSH.* TO u_HUSH",
		"GRANT SELECT (a) ON d.seen TO one@localhost", "GRANT EXECUTE ON PROCEDURE d.seen TO one@localhost",
		"GRANT SELECT (id) ON d.f_HUSH TO parts@localhost",
	} {
		r.exec(t, strings.ReplaceAll(q, "HUSH", shownMark))
	}
	return r
}

// shownCells returns the cells of the rows of a query that have the mark. An error is no cell.
func shownCells(t *testing.T, c *sql.Conn, q string) (found []string) {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), q)
	if err != nil {
		return nil
	}
	defer func() { _ = rows.Close() }()
	columns, _ := rows.Columns()
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(q, err)
		}
		for i, cell := range cells {
			if strings.Contains(strings.ToLower(cell.String), shownMark) {
				found = append(found, columns[i]+": "+cell.String)
			}
		}
	}
	return found
}

// TestInformationSchemaHides: no table of information_schema, and no SHOW, tells an account of what it has no privilege on, though
// it has privileges on other things in the same database.
func TestInformationSchemaHides(t *testing.T) {
	oneAtATime(t)
	r := shownWorld(t)
	root, _ := r.enter(t, "root")
	names := r.query(t, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'information_schema'")
	if len(names) < 70 {
		t.Fatalf("%d tables", len(names))
	}
	var all []string
	for _, name := range names {
		all = append(all, "SELECT * FROM information_schema."+name)
	}
	for _, q := range []string{
		"SHOW DATABASES", "SHOW TABLES FROM d", "SHOW FULL TABLES FROM d", "SHOW TABLE STATUS FROM d", "SHOW OPEN TABLES FROM d", "SHOW TRIGGERS FROM d", "SHOW EVENTS FROM d",
		"SHOW PROCEDURE STATUS", "SHOW FUNCTION STATUS", "SHOW COLUMNS FROM d.t_HUSH", "SHOW FULL COLUMNS FROM d.t_HUSH", "DESCRIBE d.v_HUSH", "SHOW INDEX FROM d.t_HUSH",
		"SHOW CREATE TABLE d.t_HUSH", "SHOW CREATE VIEW d.v_HUSH", "SHOW CREATE PROCEDURE d.p_HUSH", "SHOW CREATE FUNCTION d.n_HUSH", "SHOW CREATE TRIGGER d.g_HUSH",
		"SHOW CREATE EVENT d.e_HUSH", "SHOW CREATE DATABASE d_HUSH", "SHOW CREATE USER u_HUSH", "SHOW GRANTS FOR u_HUSH",
	} {
		all = append(all, strings.ReplaceAll(q, "HUSH", shownMark))
	}
	some := 0
	for _, user := range []string{"one", "none"} {
		c, err := r.enter(t, user)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range all {
			if found := shownCells(t, c, q); len(found) > 0 {
				t.Errorf("%s: %s\n shows %q", user, q, found)
			}
		}
	}
	for _, q := range all {
		if len(shownCells(t, root, q)) > 0 {
			some++
		} else if !strings.HasPrefix(q, "SELECT") && q != "SHOW OPEN TABLES FROM d" {
			t.Errorf("%s shows root nothing", q)
		}
	}
	if some < 40 {
		t.Errorf("only %d of the statements show root anything", some)
	}
	// Who has a privilege on a column sees that column, and nothing of the texts of others.
	c, _ := r.enter(t, "parts")
	check(t, c,
		[2]string{"SELECT GROUP_CONCAT(COLUMN_NAME) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'd'", "id"},
		[2]string{"SELECT GROUP_CONCAT(COLUMN_NAME) FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = 'd'", "id"},
		[2]string{"SELECT COUNT(*) FROM information_schema.CHECK_CONSTRAINTS", "0"},
		[2]string{"SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS", "1"},
	)
}

// TestTextsOfDefinitions: who sees the texts of events, checks and views is who has the privilege for it.
func TestTextsOfDefinitions(t *testing.T) {
	r := shownWorld(t)
	root, one := r.answers(t, "root"), r.answers(t, "one")
	for _, q := range [][3]string{ // a privilege, and what it shows
		{"EVENT ON d.*", "SELECT EVENT_DEFINITION FROM information_schema.EVENTS", "SELECT 'HUSH'"},
		{"INSERT ON d.t_HUSH", "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS", "(`id_HUSH` > 1)"},
		{"SELECT (id_HUSH) ON d.t_HUSH", "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS", "(`id_HUSH` > 1)"},
		{"SHOW VIEW, SELECT ON d.v_HUSH", "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'd'", "SELECT b_HUSH FROM d.t_HUSH"},
		{"SHOW VIEW ON d.v_HUSH", "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'd'", ""},
		{"SELECT ON d.v_HUSH", "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'd'", ""},
		{"TRIGGER ON d.t_HUSH", "SELECT ACTION_STATEMENT FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'd'", "SET @a = 'HUSH'"},
		{"EXECUTE ON PROCEDURE d.p_HUSH", "SELECT ROUTINE_DEFINITION FROM information_schema.ROUTINES WHERE ROUTINE_NAME LIKE 'p_HUSH'", ""},
	} {
		for i := range q {
			q[i] = strings.ReplaceAll(q[i], "HUSH", shownMark)
		}
		root([2]string{"GRANT " + q[0] + " TO one@localhost", "ok"})
		one([2]string{q[1], q[2]})
		root([2]string{"REVOKE " + q[0] + " FROM one@localhost", "ok"})
		one([2]string{q[1], "ok"})
	}
}

// TestOneColumnIsNotTheTable: a statement that uses a whole table needs the privilege on the table; one on a column, or on all of them,
// does not suffice.
func TestOneColumnIsNotTheTable(t *testing.T) {
	r := matrixServer(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	root([2]string{"CREATE TABLE vic.two (a INT PRIMARY KEY, b INT)", "ok"}, [2]string{"CREATE VIEW vic.twice AS SELECT a FROM vic.two", "ok"},
		[2]string{"GRANT SELECT (a), INSERT (a), UPDATE (a), REFERENCES (a) ON vic.two TO owner@localhost", "ok"},
		[2]string{"GRANT SELECT (a), SHOW VIEW ON vic.twice TO owner@localhost", "ok"},
		[2]string{"GRANT LOCK TABLES ON vic.* TO owner@localhost", "ok"}, [2]string{"GRANT RELOAD ON *.* TO owner@localhost", "ok"})
	selects := deniedTable("SELECT", "owner", "two")
	both := deniedTable("SELECT, INSERT", "owner", "two")
	for _, q := range [][2]string{
		{"CHECKSUM TABLE vic.two", selects}, {"CHECK TABLE vic.two", selects}, {"CREATE TABLE own.n LIKE vic.two", selects}, {"CREATE TABLE own.n (LIKE vic.two)", selects},
		{"CREATE TEMPORARY TABLE own.n LIKE vic.two", selects}, {"LOCK TABLES vic.two READ", selects}, {"LOCK TABLES vic.two WRITE", selects},
		{"FLUSH TABLES vic.two WITH READ LOCK", selects}, {"HANDLER vic.two OPEN", selects}, {"TABLE vic.two", selects}, {"SELECT * FROM vic.two", selects},
		{"CREATE TABLE own.n SELECT * FROM vic.two", selects}, {"ANALYZE TABLE vic.two", both}, {"OPTIMIZE TABLE vic.two", both}, {"REPAIR TABLE vic.two", both},
		{"SHOW CREATE TABLE vic.two", deniedTable("SHOW", "owner", "two")}, {"SHOW CREATE VIEW vic.twice", deniedTable("SELECT", "owner", "twice")},
		{"RENAME TABLE vic.two TO own.two", deniedTable("DROP, ALTER", "owner", "two")}, {"TRUNCATE vic.two", deniedTable("DROP", "owner", "two")},
		{"CREATE TABLE own.n (a INT, FOREIGN KEY (a) REFERENCES vic.two (b))", deniedTable("REFERENCES", "owner", "two")},
		{"ALTER TABLE vic.two ENGINE = InnoDB", deniedTable("ALTER", "owner", "two")}, {"CREATE INDEX i ON vic.two (a)", deniedTable("INDEX", "owner", "two")},
	} {
		owner(q)
	}
	c, err := r.enter(t, "owner")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"SELECT a FROM vic.two", "INSERT INTO vic.two (a) VALUES (1)", "UPDATE vic.two SET a = 2", "CREATE TABLE own.n SELECT a FROM vic.two"} {
		if got := answered(t.Context(), c, q); strings.Contains(got, "denied") {
			t.Errorf("%s\n got %s", q, got)
		}
	}
	root([2]string{"GRANT SELECT (b) ON vic.two TO owner@localhost", "ok"})
	owner([2]string{"CHECKSUM TABLE vic.two", selects}, [2]string{"CREATE TABLE own.m LIKE vic.two", selects})
	root([2]string{"GRANT SELECT ON vic.two TO owner@localhost", "ok"})
	owner([2]string{"CHECKSUM TABLE vic.two", "vic.two"}, [2]string{"CREATE TABLE own.m LIKE vic.two", "ok"}, [2]string{"LOCK TABLES vic.two READ", "ok"})
}
