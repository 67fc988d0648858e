package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/rights"
	"pfsd/engine/syntax"
	"pfsd/tables"
)

// The ways by which an account could get what it has not been granted: by somebody else who does something for it, by
// something that outlives a privilege, by a name that means something else.

// answers opens a connection of an account, and holds the answers to its statements against what is wanted.
func (r *running) answers(t *testing.T, user string) func(questions ...[2]string) {
	t.Helper()
	c, err := r.enter(t, user)
	if err != nil {
		t.Fatal(err)
	}
	return func(questions ...[2]string) {
		t.Helper()
		check(t, c, questions...)
	}
}

func deniedTable(command, user, table string) string {
	return fmt.Sprintf("1142 42000 %s command denied to user '%s'@'localhost' for table '%s'", command, user, table)
}

func deniedServer(needs string) string {
	return "1227 42000 Access denied; you need (at least one of) the " + needs + " privilege(s) for this operation"
}

// TestTriggersRunAsDefiner: a trigger does what its definer may do, whoever sets it off, and nothing once the definer may no
// longer make triggers there.
func TestTriggersRunAsDefiner(t *testing.T) {
	oneAtATime(t)
	r := matrixServer(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	root([2]string{"CREATE TABLE own.stolen (a INT)", "ok"}, [2]string{"CREATE PROCEDURE vic.tell() INSERT INTO own.stolen SELECT a FROM vic.secret", "ok"})
	secret := deniedTable("SELECT", "root", "secret")
	for _, body := range []struct{ body, want string }{
		{"INSERT INTO own.stolen SELECT a FROM vic.secret", secret},
		{"BEGIN IF (SELECT COUNT(*) FROM vic.secret) > 0 THEN INSERT INTO own.stolen VALUES (1); END IF; END", secret},
		{"BEGIN DECLARE c CURSOR FOR SELECT a FROM vic.secret; OPEN c; CLOSE c; END", secret},
		{"BEGIN WHILE (SELECT COUNT(*) FROM vic.secret) < 0 DO SET @a = 1; END WHILE; END", secret},
		{"SET NEW.a = (SELECT MAX(a) FROM vic.secret)", secret},
		{"DELETE FROM vic.secret", deniedTable("DELETE", "root", "secret")},
		{"CALL vic.tell()", "1370 42000 execute command denied to user 'owner'@'localhost' for routine 'vic.tell'"},
		{"SET GLOBAL max_connections = 7", deniedServer("SUPER or SYSTEM_VARIABLES_ADMIN")},
		{"INSERT INTO own.stolen VALUES (1)", "ok"},
	} {
		root([2]string{"GRANT SELECT, DELETE ON vic.* TO owner@localhost", "ok"}) // or it could not be made
		owner([2]string{"CREATE TRIGGER own.taken BEFORE INSERT ON own.t FOR EACH ROW " + body.body, "ok"})
		root([2]string{"REVOKE SELECT, DELETE ON vic.* FROM owner@localhost", "ok"})
		root([2]string{"INSERT INTO own.t VALUES (100, 1)", body.want})
		owner([2]string{"DROP TRIGGER own.taken", "ok"})
		root([2]string{"SELECT COUNT(*) FROM vic.secret", "1"}, [2]string{"DELETE FROM own.t WHERE id = 100", "ok"}, [2]string{"DELETE FROM own.stolen", "ok"})
	}
	// The other way round: what the definer may do, the trigger does for those who may not.
	root(
		[2]string{"CREATE TRIGGER own.given BEFORE INSERT ON own.t FOR EACH ROW SET NEW.a = (SELECT MAX(a) + 41 FROM vic.secret), @by = CURRENT_USER()", "ok"},
	)
	owner([2]string{"INSERT INTO own.t VALUES (101, 1)", "ok"}, [2]string{"SELECT a FROM own.t WHERE id = 101", "42"}, [2]string{"SELECT @by", "root@localhost"},
		[2]string{"SELECT CURRENT_USER()", "owner@localhost"})
	root([2]string{"DROP TRIGGER own.given", "ok"})
	owner([2]string{"CREATE TRIGGER own.taken BEFORE INSERT ON own.t FOR EACH ROW SET @a = 1", "ok"})
	root([2]string{"REVOKE TRIGGER ON own.* FROM owner@localhost", "ok"}, [2]string{"INSERT INTO own.t VALUES (102, 1)", deniedTable("TRIGGER", "root", "t")},
		[2]string{"DROP USER owner@localhost", "ok"}, [2]string{"INSERT INTO own.t VALUES (102, 1)", deniedTable("TRIGGER", "root", "t")})
}

// TestProgramsKeepTheirRights: what a procedure does, it does with the rights of who has made it, statement by statement, and
// these are asked for each time.
func TestProgramsKeepTheirRights(t *testing.T) {
	r := matrixServer(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	for _, q := range [][2]string{
		{"SET GLOBAL max_connections = 7", deniedServer("SUPER or SYSTEM_VARIABLES_ADMIN")},
		{"SET SESSION sql_log_bin = 0", deniedServer("SUPER, SYSTEM_VARIABLES_ADMIN or SESSION_VARIABLES_ADMIN")},
		{"FLUSH STATUS", deniedServer("RELOAD or FLUSH_STATUS")},
		{"CREATE TABLE own.n LIKE vic.secret", deniedTable("SELECT", "root", "secret")},
		{"SHOW CREATE TABLE vic.secret", deniedTable("SHOW", "root", "secret")},
		{"IF (SELECT COUNT(*) FROM vic.secret) > 0 THEN SELECT 1; END IF", deniedTable("SELECT", "root", "secret")},
		{"SELECT 1 INTO OUTFILE '/nonexistent/x'", "1045 28000 Access denied for user 'owner'@'localhost' (using password: NO)"},
	} {
		owner([2]string{"CREATE PROCEDURE own.n() " + q[0], "ok"})
		root([2]string{"CALL own.n()", q[1]})
		owner([2]string{"CALL own.n()", answerFor(q[1], "root", "owner")}, [2]string{"DROP PROCEDURE own.n", "ok"})
	}
	owner([2]string{"CREATE PROCEDURE own.n() SELECT a FROM own.t", "ok"}, [2]string{"CALL own.n()", "1"})
	root([2]string{"REVOKE SELECT ON own.* FROM owner@localhost", "ok"}, [2]string{"CALL own.n()", deniedTable("SELECT", "root", "t")})
}

// answerFor is an answer to one user as another is told it.
func answerFor(answer, user, other string) string {
	return strings.ReplaceAll(answer, "'"+user+"'@'localhost'", "'"+other+"'@'localhost'")
}

// TestEventsOfDroppedAccounts: an event whose definer is gone does nothing, and one that runs may see no more than its definer.
func TestEventsOfDroppedAccounts(t *testing.T) {
	r := matrixServer(t)
	root, owner := r.answers(t, "root"), r.answers(t, "owner")
	root([2]string{"SET GLOBAL event_scheduler = OFF", "ok"}, [2]string{"CREATE TABLE own.done (what VARCHAR(100))", "ok"}, [2]string{"CREATE TABLE own.seen (who VARCHAR(100))", "ok"})
	owner(
		[2]string{"CREATE EVENT own.sees ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO INSERT INTO own.seen SELECT USER FROM performance_schema.processlist WHERE USER = 'root'", "ok"},
		[2]string{"CREATE EVENT own.first ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO INSERT INTO own.done VALUES ('first')", "ok"},
	)
	root([2]string{"SET GLOBAL event_scheduler = ON", "ok"})
	status := func(event, want string) {
		t.Helper()
		eventually(t, event+" is "+want, func() bool {
			return fmt.Sprint(r.query(t, "SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_NAME = '"+event+"'")) == "["+want+"]"
		})
	}
	status("first", "DISABLED")
	status("sees", "DISABLED")
	eventually(t, "the event has run", func() bool { return fmt.Sprint(r.query(t, "SELECT what FROM own.done")) == "[first]" })
	r.want(t, "SELECT who FROM own.seen")
	root([2]string{"SET GLOBAL event_scheduler = OFF", "ok"})
	owner([2]string{"CREATE EVENT own.second ON SCHEDULE AT CURRENT_TIMESTAMP ON COMPLETION PRESERVE DO INSERT INTO own.done VALUES ('second')", "ok"})
	root([2]string{"DROP USER owner@localhost", "ok"}, [2]string{"SET GLOBAL event_scheduler = ON", "ok"})
	eventually(t, "the log says why the event has not run", func() bool {
		return len(r.query(t, "SELECT 1 FROM performance_schema.error_log WHERE DATA LIKE '%own.second%denied%'")) > 0
	})
	r.want(t, "SELECT what FROM own.done", "first")
}

// TestDefinersHaveToBe: nobody makes something on behalf of an account that has more, or of one that there is not, and nobody
// takes the name of one that something is still done on behalf of.
func TestDefinersHaveToBe(t *testing.T) {
	r := matrixServer(t)
	root, owner, creator := r.answers(t, "root"), r.answers(t, "owner"), r.answers(t, "creator")
	root([2]string{"GRANT SET_ANY_DEFINER ON *.* TO owner@localhost", "ok"})
	for _, what := range []string{"PROCEDURE own.n() SELECT 1", "FUNCTION own.n() RETURNS INT RETURN 1", "VIEW own.n AS SELECT 1", "EVENT own.n ON SCHEDULE EVERY 1 DAY DO SELECT 1", "TRIGGER own.n BEFORE INSERT ON own.t FOR EACH ROW SET @a = 1"} {
		owner(
			[2]string{"CREATE DEFINER = root@localhost " + what, deniedServer("SYSTEM_USER")},
			[2]string{"CREATE DEFINER = boss " + what, deniedServer("SYSTEM_USER")},
			[2]string{"CREATE DEFINER = ghost@localhost " + what, deniedServer("SUPER or ALLOW_NONEXISTENT_DEFINER")},
		)
	}
	owner([2]string{"CREATE DEFINER = victim@localhost PROCEDURE own.n() SELECT 1", "ok"})
	left := func(operation, what string) string {
		return "4006 HY000 Operation " + operation + " failed for 'victim'@'localhost' as it is referenced as a definer account in " + what + "."
	}
	creator([2]string{"DROP USER victim@localhost", left("DROP USER", "a stored routine")}, [2]string{"RENAME USER victim@localhost TO x", left("RENAME USER", "a stored routine")})
	root([2]string{"DROP USER victim@localhost", "ok"})
	creator([2]string{"CREATE USER victim@localhost", left("CREATE USER", "a stored routine")}, [2]string{"CREATE USER x", "ok"},
		[2]string{"RENAME USER x TO victim@localhost", left("RENAME USER", "a stored routine")})
}

// TestRolesCannotBeTaken: a role is given by those who may give it.
func TestRolesCannotBeTaken(t *testing.T) {
	r := matrixServer(t)
	root, creator := r.answers(t, "root"), r.answers(t, "creator")
	noAdmin, system := deniedServer("WITH ADMIN, ROLE_ADMIN, SUPER"), deniedServer("SYSTEM_USER")
	creator([2]string{"CREATE USER z IDENTIFIED BY 'z' DEFAULT ROLE boss", noAdmin})
	if _, err := r.enter(t, "z:z"); err == nil {
		t.Error("the account has come to be")
	}
	root([2]string{"GRANT ROLE_ADMIN ON *.* TO creator@localhost", "ok"}, [2]string{"CREATE ROLE reader", "ok"}, [2]string{"GRANT boss TO victim@localhost", "ok"})
	creator(
		[2]string{"CREATE USER z IDENTIFIED BY 'z' DEFAULT ROLE boss", system}, [2]string{"GRANT boss TO creator@localhost", system},
		[2]string{"REVOKE boss FROM victim@localhost", system}, [2]string{"GRANT reader TO root@localhost", system},
		// A role with SYSTEM_USER protects who has it.
		[2]string{"ALTER USER victim@localhost IDENTIFIED BY 'x'", system}, [2]string{"DROP USER victim@localhost", system},
		[2]string{"SET DEFAULT ROLE NONE TO victim@localhost", system},
		[2]string{"CREATE USER z IDENTIFIED BY 'z' DEFAULT ROLE reader", "ok"}, [2]string{"DROP ROLE reader", "ok"},
	)
	// WITH ADMIN OPTION lets one give a role while it is active.
	root([2]string{"CREATE ROLE lent", "ok"}, [2]string{"GRANT lent TO none@localhost WITH ADMIN OPTION", "ok"})
	none := r.answers(t, "none")
	none([2]string{"GRANT lent TO selects@localhost", noAdmin}, [2]string{"SET ROLE lent", "ok"}, [2]string{"GRANT lent TO selects@localhost", "ok"},
		[2]string{"SET ROLE NONE", "ok"}, [2]string{"REVOKE lent FROM selects@localhost", noAdmin})
}

// TestGrantAllGrantsWhatOneHas: ALL is what the grantor can pass on.
func TestGrantAllGrantsWhatOneHas(t *testing.T) {
	r := matrixServer(t)
	root := r.answers(t, "root")
	root([2]string{"GRANT ALL ON *.* TO owner@localhost WITH GRANT OPTION", "ok"}, [2]string{"REVOKE SYSTEM_USER, ROLE_ADMIN ON *.* FROM owner@localhost", "ok"})
	owner := r.answers(t, "owner")
	owner([2]string{"GRANT ALL ON *.* TO none@localhost", "ok"})
	if a := r.accounts.Access(accounts.ID{User: "none", Host: "localhost"}, nil); a.Has(accounts.SystemUser) || a.Has(accounts.RoleAdmin) || !a.Has(accounts.BackupAdmin) {
		t.Errorf("none has been granted %v", a.Global().Names())
	}
}

// TestRevokedIsGone: what has been prepared, opened or taken on while it was allowed is not allowed any longer.
func TestRevokedIsGone(t *testing.T) {
	r := matrixServer(t)
	root := r.answers(t, "root")
	root([2]string{"GRANT SELECT ON vic.* TO owner@localhost", "ok"}, [2]string{"GRANT FLUSH_STATUS ON *.* TO owner@localhost", "ok"})
	c, err := r.enter(t, "owner")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.PrepareContext(t.Context(), "SELECT a FROM vic.secret WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	check(t, c, [2]string{"PREPARE p FROM 'SELECT a FROM vic.secret'", "ok"}, [2]string{"EXECUTE p", "1"}, [2]string{"PREPARE f FROM 'FLUSH STATUS'", "ok"}, [2]string{"EXECUTE f", "ok"},
		[2]string{"CREATE VIEW own.n AS SELECT a FROM vic.secret", "ok"}, [2]string{"CREATE PROCEDURE own.n() EXECUTE p", "ok"}, [2]string{"SELECT * FROM own.n", "1"})
	root([2]string{"REVOKE SELECT ON vic.* FROM owner@localhost", "ok"}, [2]string{"REVOKE FLUSH_STATUS ON *.* FROM owner@localhost", "ok"})
	denied := deniedTable("SELECT", "owner", "secret")
	check(t, c, [2]string{"EXECUTE p", denied}, [2]string{"EXECUTE f", deniedServer("RELOAD or FLUSH_STATUS")}, [2]string{"CALL own.n()", denied}, [2]string{"SELECT * FROM own.n", denied})
	if _, err := s.QueryContext(t.Context(), 1); code(err) != denied {
		t.Error(code(err))
	}
	root([2]string{"SELECT * FROM own.n", deniedTable("SELECT", "root", "secret")})
}

// TestTemporaryTablesOpenNothing: a temporary table with the name of another's table is one's own, and the other is not.
func TestTemporaryTablesOpenNothing(t *testing.T) {
	r := matrixServer(t)
	root := r.answers(t, "root")
	root([2]string{"GRANT CREATE TEMPORARY TABLES ON vic.* TO owner@localhost", "ok"})
	owner := r.answers(t, "owner")
	owner(
		[2]string{"CREATE TEMPORARY TABLE vic.secret (b INT)", "ok"}, [2]string{"SELECT COUNT(*) FROM vic.secret", "0"}, [2]string{"INSERT INTO vic.secret VALUES (7)", "ok"},
		[2]string{"TRUNCATE TABLE vic.secret", "ok"},
		[2]string{"CREATE TABLE own.n (a INT, FOREIGN KEY (a) REFERENCES vic.secret (id))", deniedTable("REFERENCES", "owner", "secret")},
		[2]string{"CREATE TRIGGER vic.n BEFORE INSERT ON vic.secret FOR EACH ROW SET @a = 1", deniedTable("TRIGGER", "owner", "secret")},
		[2]string{"CREATE TABLE vic.secret (a INT)", deniedTable("CREATE", "owner", "secret")},
		[2]string{"RENAME TABLE vic.secret TO own.n", deniedTable("DROP, ALTER", "owner", "secret")},
		[2]string{"DROP TABLE vic.secret", "ok"}, [2]string{"DROP TABLE vic.secret", deniedTable("DROP", "owner", "secret")},
		[2]string{"SELECT COUNT(*) FROM vic.secret", deniedTable("SELECT", "owner", "secret")},
	)
}

// TestKillOfOthers: who may end what is others', and not what is of those with SYSTEM_USER.
func TestKillOfOthers(t *testing.T) {
	r := matrixServer(t)
	root := r.answers(t, "root")
	root([2]string{"GRANT CONNECTION_ADMIN ON *.* TO selects@localhost", "ok"})
	id := func(user string) string {
		t.Helper()
		return r.query(t, "SELECT MIN(PROCESSLIST_ID) FROM performance_schema.threads WHERE PROCESSLIST_USER = '"+user+"'")[0]
	}
	owner, none, selects := r.answers(t, "owner"), r.answers(t, "none"), r.answers(t, "selects")
	no := func(id string) string { return "1095 HY000 You are not owner of thread " + id }
	rootID, ownerID := id("root"), id("owner")
	none([2]string{"KILL QUERY " + rootID, no(rootID)}, [2]string{"KILL QUERY " + ownerID, no(ownerID)}, [2]string{"KILL QUERY " + id("none"), "ok"})
	selects([2]string{"KILL QUERY " + rootID, no(rootID)}, [2]string{"KILL QUERY " + ownerID, "ok"})
	owner([2]string{"SELECT 1", "1"})
	root([2]string{"KILL QUERY " + ownerID, "ok"})
}

// TestResetPersist: who may set a variable may take it out of the file; for one that is fixed it takes both privileges.
func TestResetPersist(t *testing.T) {
	r := serve(t, Options{DataDir: t.TempDir(), Init: []string{
		"CREATE USER admin@localhost, none@localhost; GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO admin@localhost",
	}}, tables.All()...)
	root, admin, none := r.answers(t, "root"), r.answers(t, "admin"), r.answers(t, "none")
	root([2]string{"SET PERSIST max_connections = 100", "ok"})
	none([2]string{"RESET PERSIST", deniedServer("SUPER or SYSTEM_VARIABLES_ADMIN")}, [2]string{"RESET PERSIST max_connections", deniedServer("SUPER or SYSTEM_VARIABLES_ADMIN")})
	admin([2]string{"RESET PERSIST max_connections", "ok"}, [2]string{"SET PERSIST max_connections = 101", "ok"})
	root([2]string{"SET PERSIST_ONLY back_log = 100", "ok"})
	both := "3630 42000 Access denied; you need SYSTEM_VARIABLES_ADMIN and PERSIST_RO_VARIABLES_ADMIN privileges for this operation"
	admin([2]string{"SET PERSIST_ONLY back_log = 101", both}, [2]string{"RESET PERSIST back_log", both}, [2]string{"RESET PERSIST", both}, [2]string{"RESET PERSIST max_connections", "ok"},
		[2]string{"SET GLOBAL mandatory_roles = 'r'", deniedServer("ROLE_ADMIN")})
	root([2]string{"RESET PERSIST", "ok"})
}

// TestSomeOfATable: what has been granted of a table, or of its columns, shows and changes no more of it.
func TestSomeOfATable(t *testing.T) {
	r := matrixServer(t)
	for _, q := range []string{
		"CREATE USER inserts@localhost, updates@localhost, column@localhost", "GRANT INSERT ON own.t TO inserts@localhost", "GRANT SELECT (id) ON own.t TO column@localhost",
		"GRANT INSERT, UPDATE ON own.t TO updates@localhost",
	} {
		r.exec(t, q)
	}
	r.answers(t, "inserts")(
		[2]string{"INSERT INTO own.t VALUES (50, 2)", "ok"}, [2]string{"REPLACE INTO own.t VALUES (50, 3)", deniedTable("DELETE", "inserts", "t")},
		[2]string{"INSERT INTO own.t VALUES (1, 2) ON DUPLICATE KEY UPDATE a = 7", deniedTable("UPDATE", "inserts", "t")},
		[2]string{"INSERT INTO own.t SELECT id + 50, a FROM own.t", deniedTable("SELECT", "inserts", "t")},
	)
	hidden := func(user, column string) string {
		return "1143 42000 SELECT command denied to user '" + user + "'@'localhost' for column '" + column + "' in table 't'"
	}
	r.answers(t, "updates")(
		[2]string{"INSERT INTO own.t VALUES (1, 2) ON DUPLICATE KEY UPDATE a = VALUES(a)", "ok"}, [2]string{"INSERT INTO own.t VALUES (1, 2) ON DUPLICATE KEY UPDATE a = id", hidden("updates", "id")},
		[2]string{"UPDATE own.t SET a = 1", "ok"}, [2]string{"UPDATE own.t SET a = 1 WHERE id = 1", hidden("updates", "id")}, [2]string{"UPDATE own.t SET a = a + 1", hidden("updates", "a")},
		[2]string{"SELECT 1 FROM own.t FOR UPDATE", deniedTable("SELECT", "updates", "t")},
	)
	r.answers(t, "column")(
		[2]string{"SHOW COLUMNS FROM own.t", "id"}, [2]string{"DESCRIBE own.t", "id"}, [2]string{"SHOW CREATE TABLE own.t", deniedTable("SHOW", "column", "t")},
		[2]string{"SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'own' AND TABLE_NAME = 't'", "id"},
		[2]string{"SELECT MIN(id) FROM own.t", "1"}, [2]string{"SELECT a FROM own.t", hidden("column", "a")}, [2]string{"SELECT id FROM own.t ORDER BY a", hidden("column", "a")},
		[2]string{"SELECT id FROM own.t FOR UPDATE", deniedTable("SELECT with locking clause", "column", "t")}, [2]string{"DO (SELECT a FROM own.t)", hidden("column", "a")},
	)
}

// BenchmarkAuthorize measures what it takes to find out that an account may carry out a statement.
func BenchmarkAuthorize(b *testing.B) {
	store, err := accounts.Open(nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	st, err := accounts.Parse("CREATE USER u@localhost", false)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := store.Run(st, &accounts.Session{Note: func(int, string) {}}); err != nil {
		b.Fatal(err)
	}
	ctx := sql.NewEmptyContext()
	for _, user := range []string{"root", "u"} {
		r := rights.New(store, nil, accounts.ID{User: user, Host: "localhost"}, nil, user)
		for name, text := range map[string]string{"select": "SELECT a FROM t WHERE a = 1", "begin": "BEGIN", "set": "SET @a = 1"} {
			s, err := syntax.Default.ParseSimple(text)
			if err != nil {
				b.Fatal(err)
			}
			b.Run("user="+user+"/statement="+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := r.AuthorizeStatement(ctx, s, text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestKeptPlansAskAgain: a plan that another account's statement has left behind asks for the privileges of who uses it.
func TestKeptPlansAskAgain(t *testing.T) {
	r := matrixServer(t)
	root, selects, none := r.answers(t, "root"), r.answers(t, "selects"), r.answers(t, "none")
	for _, q := range []string{"SELECT COUNT(*) FROM performance_schema.setup_consumers", "SELECT NAME FROM performance_schema.setup_consumers WHERE NAME = 'statements_digest'"} {
		for range 4 {
			want := deniedTable("SELECT", "none", "setup_consumers")
			got := r.query(t, q)[0]
			root([2]string{q, got})
			selects([2]string{q, got})
			none([2]string{q, want})
		}
		root([2]string{"REVOKE SELECT ON *.* FROM selects@localhost", "ok"})
		selects([2]string{q, deniedTable("SELECT", "selects", "setup_consumers")})
		root([2]string{"GRANT SELECT ON *.* TO selects@localhost", "ok"})
	}
}
