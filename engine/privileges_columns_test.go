package engine

import "testing"

// deniedColumn is error 1143.
func deniedColumn(command, user, column, table string) string {
	return "1143 42000 " + command + " command denied to user '" + user + "'@'localhost' for column '" + column + "' in table '" + table + "'"
}

// TestOldAndNewOfOthers: a trigger reads and writes the columns of the row that sets it off with the privileges of its definer.
func TestOldAndNewOfOthers(t *testing.T) {
	r := matrixServer(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	root([2]string{"GRANT TRIGGER ON vic.secret TO owner@localhost", "ok"})
	owner([2]string{"CREATE TRIGGER vic.steals AFTER INSERT ON vic.secret FOR EACH ROW INSERT INTO own.t VALUES (NEW.id + 100, NEW.a)", "ok"})
	root([2]string{"INSERT INTO vic.secret VALUES (5, 5)", deniedColumn("SELECT", "root", "id", "secret")},
		[2]string{"GRANT SELECT (id) ON vic.secret TO owner@localhost", "ok"}, [2]string{"INSERT INTO vic.secret VALUES (5, 5)", deniedColumn("SELECT", "root", "a", "secret")},
		[2]string{"SELECT COUNT(*) FROM own.t", "1"}, [2]string{"SELECT COUNT(*) FROM vic.secret", "1"},
		[2]string{"GRANT SELECT (a) ON vic.secret TO owner@localhost", "ok"}, [2]string{"INSERT INTO vic.secret VALUES (5, 5)", "ok"}, [2]string{"SELECT COUNT(*) FROM own.t", "2"},
		[2]string{"DROP TRIGGER vic.steals", "ok"})
	owner([2]string{"CREATE TRIGGER vic.changes BEFORE INSERT ON vic.secret FOR EACH ROW SET NEW.a = 7", "ok"})
	root([2]string{"INSERT INTO vic.secret VALUES (6, 6)", deniedColumn("UPDATE", "root", "a", "secret")},
		[2]string{"GRANT UPDATE (a) ON vic.secret TO owner@localhost", "ok"}, [2]string{"INSERT INTO vic.secret VALUES (6, 6)", "ok"}, [2]string{"SELECT a FROM vic.secret WHERE id = 6", "7"})
}

// TestColumnsOfViews: privileges on columns of a view are on these alone.
func TestColumnsOfViews(t *testing.T) {
	r := matrixServer(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	root([2]string{"CREATE VIEW vic.both_columns AS SELECT id, a FROM vic.secret", "ok"}, [2]string{"GRANT SELECT (id) ON vic.both_columns TO owner@localhost", "ok"})
	owner(
		[2]string{"SELECT id FROM vic.both_columns", "1"}, [2]string{"SELECT x.id FROM vic.both_columns AS x", "1"},
		[2]string{"SELECT a FROM vic.both_columns", deniedColumn("SELECT", "owner", "a", "both_columns")},
		[2]string{"SELECT x.id FROM vic.both_columns AS x WHERE x.a = 1", deniedColumn("SELECT", "owner", "a", "both_columns")},
		[2]string{"SELECT id FROM (SELECT * FROM vic.both_columns) AS both_columns", deniedTable("SELECT", "owner", "both_columns")},
		[2]string{"SELECT * FROM vic.both_columns", deniedTable("SELECT", "owner", "both_columns")},
		[2]string{"WITH c AS (SELECT * FROM vic.both_columns) SELECT x.id FROM c AS x", deniedTable("SELECT", "owner", "both_columns")},
		[2]string{"SELECT both_columns.id FROM vic.both_columns AS x, (SELECT a AS id FROM vic.secret) AS both_columns", deniedTable("SELECT", "owner", "secret")},
	)
}

// TestColumnsThatTheTableWrites: what the definition of a table reads and writes needs no privileges.
func TestColumnsThatTheTableWrites(t *testing.T) {
	r := matrixServer(t)
	r.answers(t, "root")(
		[2]string{"CREATE TABLE vic.g (id INT PRIMARY KEY, a INT, b INT AS (a + 1), c TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, d INT DEFAULT (a + 2), CHECK (a < 100))", "ok"},
		[2]string{"GRANT INSERT (id, a), UPDATE (a) ON vic.g TO owner@localhost", "ok"})
	r.answers(t, "owner")(
		[2]string{"INSERT INTO vic.g (id, a) VALUES (1, 1)", "ok"}, [2]string{"UPDATE vic.g SET a = 2", "ok"},
		[2]string{"INSERT INTO vic.g (id, a) VALUES (1, 1) ON DUPLICATE KEY UPDATE a = 3", "ok"}, [2]string{"INSERT INTO vic.g (id, d) VALUES (2, 1)", deniedColumn("INSERT", "owner", "d", "g")})
}

// TestColumnsOfKeptPlans: an account that may use some columns uses kept plans, too, as long as it may.
func TestColumnsOfKeptPlans(t *testing.T) {
	r := matrixServer(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	root([2]string{"GRANT SELECT (id) ON vic.secret TO owner@localhost", "ok"})
	for range 4 {
		owner([2]string{"SELECT id FROM vic.secret WHERE id = 1", "1"}, [2]string{"SELECT id FROM vic.secret WHERE a = 1", deniedColumn("SELECT", "owner", "a", "secret")})
		root([2]string{"SELECT id FROM vic.secret WHERE a = 1", "1"}) // which keeps the plan
	}
	r.want(t, "SELECT HITS > 0 FROM performance_schema.plan_cache WHERE STATEMENT LIKE 'SELECT id FROM vic.secret WHERE id =%'", "1")
	root([2]string{"REVOKE SELECT (id) ON vic.secret FROM owner@localhost", "ok"}, [2]string{"GRANT SELECT (a) ON vic.secret TO owner@localhost", "ok"})
	owner([2]string{"SELECT id FROM vic.secret WHERE id = 1", deniedColumn("SELECT", "owner", "id", "secret")})
}
