package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// viewWorld are two databases with the same names in them, and who may read one of them only.
func viewWorld(t *testing.T) *running {
	r := matrixServer(t)
	for _, db := range []string{"one", "two"} {
		for _, q := range []string{
			"CREATE DATABASE {db}", "CREATE TABLE {db}.t (x INT PRIMARY KEY, db VARCHAR(10))", "INSERT INTO {db}.t VALUES (1, '{db}')",
			"CREATE TABLE {db}.`from` (x INT, db VARCHAR(10))", "INSERT INTO {db}.`from` VALUES (1, '{db}')",
			"CREATE FUNCTION {db}.f() RETURNS VARCHAR(10) RETURN '{db}'", "CREATE VIEW {db}.inner_view AS SELECT db FROM {db}.t",
		} {
			r.exec(t, strings.ReplaceAll(q, "{db}", db))
		}
	}
	r.exec(t, "GRANT SELECT, CREATE VIEW, DROP, EXECUTE, SHOW VIEW ON one.* TO owner@localhost")
	r.exec(t, "GRANT CREATE, CREATE VIEW, SHOW VIEW, SELECT, DROP ON two.n TO owner@localhost")
	return r
}

// viewQueries are queries that name tables without a database, in every place that can have one. Each reads the database.
var viewQueries = []string{
	"SELECT db FROM t",
	"SELECT t.db FROM t",
	"SELECT u.db FROM t AS u",
	"SELECT u.db FROM `t` u",
	"SELECT db FROM (SELECT db FROM t) AS t",
	"SELECT (SELECT MAX(db) FROM t)",
	"SELECT db FROM t WHERE db IN (SELECT db FROM t)",
	"SELECT t.db FROM t JOIN t AS u USING (x)",
	"SELECT t.db FROM t LEFT JOIN `from` ON t.x = `from`.x",
	"SELECT t.db FROM t, `from`, inner_view WHERE t.x = `from`.x",
	"SELECT db FROM (t)",
	"SELECT t.db FROM (t, `from`)",
	"SELECT db FROM t UNION SELECT db FROM t",
	"SELECT db FROM inner_view",
	"WITH t AS (SELECT db FROM t) SELECT db FROM t",
	"WITH c AS (SELECT db FROM t), d AS (SELECT db FROM c) SELECT d.db FROM d, c, t",
	"WITH RECURSIVE c (n, db) AS (SELECT 1, db FROM t UNION ALL SELECT n + 1, db FROM c WHERE n < 3) SELECT MAX(db) FROM c",
	"SELECT db FROM t USE INDEX (PRIMARY) WHERE x = 1",
	"SELECT f()",
	"SELECT MAX(f()) FROM t",
	"SELECT db FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.x = t.x) -- FROM t",
	"SELECT TRIM(LEADING 'x' FROM db) FROM t",
	"SELECT db FROM/* t */t",
	"SELECT db FROM t ORDER BY (SELECT x FROM t)",
	"SELECT x.db FROM (SELECT db, ROW_NUMBER() OVER (ORDER BY x) AS n FROM t) AS x",
	"SELECT db FROM t CROSS JOIN (SELECT 1 AS one) AS o",
	"SELECT db FROM {OJ t LEFT OUTER JOIN `from` USING (x, db)}",
}

// TestViewsNameTheirTables: a view reads the tables and functions that its text named where it was made, whatever database is
// current when it is read, and whichever it is in. These are the ones that its definer is asked about.
func TestViewsNameTheirTables(t *testing.T) {
	r := viewWorld(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	for _, q := range viewQueries {
		for _, in := range []string{"one", "two"} {
			create := "CREATE OR REPLACE VIEW " + in + ".n AS " + q
			owner([2]string{"USE one", "ok"}, [2]string{create, "ok"})
			for _, db := range []string{"one", "own"} {
				owner([2]string{"USE " + db, "ok"}, [2]string{"SELECT * FROM " + in + ".n", "one"})
				root([2]string{"USE " + strings.ReplaceAll(db, "own", "two"), "ok"}, [2]string{"SELECT * FROM " + in + ".n", "one"})
			}
			root([2]string{"USE one", "ok"}, [2]string{"CREATE OR REPLACE VIEW " + in + ".v AS " + q, "ok"}, [2]string{"USE two", "ok"},
				[2]string{"SELECT * FROM " + in + ".v", "one"}, [2]string{"ALTER VIEW " + in + ".v AS " + q, "ok"}, [2]string{"USE one", "ok"},
				[2]string{"SELECT * FROM " + in + ".v", "two"})
			// It has the columns of the query.
			rootConn := r.query(t, "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '"+in+"' AND TABLE_NAME = 'n'")
			if len(rootConn) != 1 || strings.Contains(rootConn[0], "`one`") {
				t.Errorf("%s\n has the columns %q", create, rootConn)
			}
		}
	}
	// What owner may not read, it does not read, wherever the view is.
	owner([2]string{"USE two", "ok"}, [2]string{"CREATE OR REPLACE VIEW one.n AS SELECT db FROM t", deniedTable("SELECT", "owner", "t")},
		[2]string{"CREATE OR REPLACE VIEW two.n AS SELECT db FROM t", deniedTable("SELECT", "owner", "t")})
}

// TestViewsOfBefore: a view whose text still has names without a database reads those of its own database, and its definer is
// asked about them.
func TestViewsOfBefore(t *testing.T) {
	r := viewWorld(t)
	root := r.answers(t, "root")
	ctx, _ := matrixSession(t, r, "root")
	d, err := r.Server.tables.Database(ctx, "two")
	if err != nil {
		t.Fatal(err)
	}
	for name, definer := range map[string]string{"a": "root@localhost", "b": "owner@localhost"} {
		text := "SELECT db FROM t"
		if err := d.(sql.ViewDatabase).CreateView(ctx, name, text, "CREATE DEFINER="+definer+" VIEW "+name+" AS "+text); err != nil {
			t.Fatal(err)
		}
	}
	for _, db := range []string{"one", "own", "two"} {
		root([2]string{"USE " + db, "ok"}, [2]string{"SELECT db FROM two.a", "two"}, [2]string{"SELECT db FROM two.b", deniedTable("SELECT", "root", "t")})
	}
}

// TestInvokersInViews: a function that runs with the rights of its invoker runs, in a view, as that whose rights the view has,
// and so does CURRENT_USER().
func TestInvokersInViews(t *testing.T) {
	r := matrixServer(t)
	root, owner, selects := r.answers(t, "root"), r.answers(t, "owner"), r.answers(t, "selects")
	root([2]string{"GRANT EXECUTE ON own.* TO selects@localhost", "ok"}, [2]string{"CREATE FUNCTION own.inv() RETURNS VARCHAR(100) SQL SECURITY INVOKER RETURN CURRENT_USER()", "ok"},
		[2]string{"CREATE FUNCTION own.def() RETURNS VARCHAR(100) RETURN CONCAT(CURRENT_USER(), ',', own.inv())", "ok"},
		[2]string{"CREATE PROCEDURE own.call_inv() SELECT own.inv()", "ok"})
	owner([2]string{"CREATE FUNCTION own.steal() RETURNS INT SQL SECURITY INVOKER BEGIN DELETE FROM vic.secret; RETURN 1; END", "ok"},
		[2]string{"CREATE VIEW own.taken AS SELECT own.steal() AS s", "ok"})
	root([2]string{"SELECT s FROM own.taken", deniedTable("DELETE", "root", "secret")}, [2]string{"SELECT COUNT(*) FROM vic.secret", "1"})
	const who = " AS SELECT CONCAT(own.inv(), ' ', own.def(), ' ', CURRENT_USER, ' ', USER()) AS w"
	owner([2]string{"CREATE VIEW own.d" + who, "ok"}, [2]string{"CREATE SQL SECURITY INVOKER VIEW own.i" + who, "ok"},
		[2]string{"CREATE VIEW own.di AS SELECT w FROM own.i", "ok"}, [2]string{"CREATE SQL SECURITY INVOKER VIEW own.id AS SELECT w FROM own.d", "ok"},
		[2]string{"CREATE SQL SECURITY INVOKER VIEW own.ii AS SELECT w FROM own.i", "ok"})
	for _, as := range []struct {
		name string
		ask  func(...[2]string)
	}{{"root", root}, {"selects", selects}} {
		id := as.name + "@localhost"
		for view, wants := range map[string]string{"d": "owner@localhost", "di": "owner@localhost", "id": "owner@localhost", "i": id, "ii": id} {
			want := fmt.Sprintf("%s root@localhost,root@localhost %s %s", wants, wants, id)
			as.ask([2]string{"SELECT w FROM own." + view, want}, [2]string{"SELECT (SELECT w FROM own." + view + ")", want})
		}
		as.ask([2]string{"SELECT CONCAT(own.inv(), ' ', w, ' ', CURRENT_USER()) FROM own.d", id + " owner@localhost root@localhost,root@localhost owner@localhost " + id + " " + id})
	}
	// In other programs the one whose rights these have.
	selects([2]string{"CALL own.call_inv()", "root@localhost"})
	owner([2]string{"CREATE TRIGGER own.asks BEFORE INSERT ON own.t FOR EACH ROW SET @who = own.inv()", "ok"})
	root([2]string{"INSERT INTO own.t VALUES (7, 7)", "ok"}, [2]string{"SELECT @who", "owner@localhost"})
	// A table has no functions of users, as there is nobody whose rights they could have.
	for _, q := range [][2]string{
		{"CREATE TABLE own.n (a VARCHAR(100) DEFAULT (own.inv()))", "3770 HY000 Default value expression of column 'a' contains a disallowed function: `inv`."},
		{"CREATE TABLE own.n (a INT, b VARCHAR(100) AS (own.inv()))", "3763 HY000 Expression of generated column 'b' contains a disallowed function: `inv`."},
		{"CREATE TABLE own.n (a INT, CHECK (own.inv() = 'x'))", "3814 HY000 An expression of a check constraint 'n_chk_1' contains disallowed function: `inv`."},
	} {
		owner(q)
	}
}
