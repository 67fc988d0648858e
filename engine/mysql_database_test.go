package engine

import "testing"

// TestMySQLDatabaseRights: the database mysql is for who may read it, and not for its sake alone.
func TestMySQLDatabaseRights(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE USER u@localhost", "GRANT SELECT, DELETE ON mysql.role_edges TO u@localhost", "GRANT SELECT (User, Host) ON mysql.user TO u@localhost",
		"CREATE USER w@localhost", "CREATE USER all@localhost", "GRANT SELECT ON mysql.* TO all@localhost",
	}})
	table := func(command, table string) string {
		return "1142 42000 " + command + " command denied to user 'u'@'localhost' for table '" + table + "'"
	}
	u, err := r.enter(t, "u")
	if err != nil {
		t.Fatal(err)
	}
	check(t, u,
		[2]string{"SHOW TABLES FROM mysql", "role_edges\nuser"},
		[2]string{"SELECT COUNT(*) FROM mysql.role_edges", "0"},
		[2]string{"SELECT User FROM mysql.user WHERE Host = 'localhost' AND User < 'b'", "all"},
		[2]string{"SELECT plugin FROM mysql.user", "1143 42000 SELECT command denied to user 'u'@'localhost' for column 'plugin' in table 'user'"},
		[2]string{"SELECT * FROM mysql.db", table("SELECT", "db")},
		[2]string{"DELETE FROM mysql.db", table("DELETE", "db")},
		[2]string{"DELETE FROM mysql.role_edges", "3554 HY000 Access to system table 'mysql.role_edges' is rejected."},
	)
	w, err := r.enter(t, "w")
	if err != nil {
		t.Fatal(err)
	}
	check(t, w,
		[2]string{"SHOW DATABASES", "information_schema\nperformance_schema"},
		[2]string{"USE mysql", "1044 42000 Access denied for user 'w'@'localhost' to database 'mysql'"},
		[2]string{"SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'mysql'", "0"},
		[2]string{"DROP DATABASE mysql", "1044 42000 Access denied for user 'w'@'localhost' to database 'mysql'"},
	)
	all, err := r.enter(t, "all")
	if err != nil {
		t.Fatal(err)
	}
	check(t, all,
		[2]string{"SELECT COUNT(*) FROM mysql.user", "4"},
		[2]string{"SHOW GRANTS FOR w@localhost", "GRANT USAGE ON *.* TO `w`@`localhost`"},
	)
}
