package engine

import (
	"strings"
	"testing"

	"pfsd/tables"
)

// In a stored program each statement has its conditions; a handler takes away what it is called for,
// can look at it, and changes it or adds to it with RESIGNAL.
func TestDiagnosticsInPrograms(t *testing.T) {
	r := serve(t, Options{}, tables.All()...)
	r.db.SetMaxOpenConns(1)
	for _, q := range []string{
		"CREATE DATABASE shop", "USE shop",
		`CREATE PROCEDURE handled() BEGIN
			DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN
				SET @was = 1;
				GET CURRENT DIAGNOSTICS @current = NUMBER;
				GET STACKED DIAGNOSTICS @stacked = NUMBER;
				GET STACKED DIAGNOSTICS CONDITION 1 @state = RETURNED_SQLSTATE, @text = MESSAGE_TEXT;
			END;
			SELECT * FROM nosuch;
		END`,
		"CREATE PROCEDURE changed() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION RESIGNAL SET MESSAGE_TEXT = 'changed'; SELECT * FROM nosuch; END",
		"CREATE PROCEDURE added() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION RESIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'added'; SELECT * FROM nosuch; END",
		"CREATE PROCEDURE passed() BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION RESIGNAL; SELECT * FROM nosuch; END",
		`CREATE PROCEDURE tell(OUT n INT, OUT m TEXT) BEGIN
			DECLARE i INT DEFAULT 2;
			DROP TABLE IF EXISTS x, y;
			GET DIAGNOSTICS n = NUMBER;
			GET DIAGNOSTICS CONDITION i m = MESSAGE_TEXT;
		END`,
		"CREATE PROCEDURE listed() BEGIN DROP TABLE IF EXISTS x; SHOW WARNINGS; END",
		"CREATE PROCEDURE warns() SIGNAL SQLSTATE '01000' SET MESSAGE_TEXT = 'careful', TABLE_NAME = 't'",
		"CALL handled()",
	} {
		r.exec(t, q)
	}
	r.want(t, "SHOW WARNINGS")
	r.want(t, "SELECT @current, @stacked, @state, @text", "0|1|42S02|Table 'shop.nosuch' doesn't exist")
	for _, c := range []struct{ call, fails, left string }{
		{"CALL changed()", "changed", "Error|1146|changed"},
		{"CALL added()", "added", "Error|1146|Table 'shop.nosuch' doesn't exist Error|1644|added"},
		{"CALL passed()", "Table 'shop.nosuch' doesn't exist", "Error|1146|Table 'shop.nosuch' doesn't exist"},
	} {
		if _, err := r.db.Exec(c.call); err == nil || !strings.HasSuffix(err.Error(), c.fails) {
			t.Errorf("%s: %v", c.call, err)
		}
		if got := strings.Join(r.query(t, "SHOW WARNINGS"), " "); got != c.left {
			t.Errorf("%s: left are %s, want %s", c.call, got, c.left)
		}
	}
	r.exec(t, "CALL tell(@n, @m)")
	r.want(t, "SELECT @n, @m", "2|Unknown table 'shop.y'")
	r.want(t, "CALL listed()", "Note|1051|Unknown table 'shop.x'")
	r.exec(t, "CALL warns()")
	r.exec(t, "GET DIAGNOSTICS CONDITION 1 @table = TABLE_NAME, @number = MYSQL_ERRNO")
	r.want(t, "SHOW WARNINGS", "Warning|1642|careful")
	r.want(t, "SELECT @table, @number", "t|1642")
	r.want(t, "SELECT ROUTINE_DEFINITION LIKE '%GET STACKED DIAGNOSTICS CONDITION 1 @state%' FROM information_schema.ROUTINES WHERE ROUTINE_NAME = 'handled'", "1")
}
