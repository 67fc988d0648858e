package accounts

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

// runAs runs a statement as an account, or as the server itself if id is zero.
func runAs(t *testing.T, s *Store, id ID, statement string) (*Rows, error) {
	t.Helper()
	session := &Session{
		User: "someone", Host: "localhost", Database: "d", Note: func(int, string) {},
		Columns: func(_, table string) ([]string, bool) { return []string{"a", "b"}, table != "missing" },
		Forbidden: func(schema, table string) (Set, Set) {
			if schema != "performance_schema" {
				return Set{}, Set{}
			}
			return SetOf(Create, Alter), SetOf(Insert)
		},
	}
	if id != (ID{}) {
		session.Access = s.Access(id, nil)
		session.User, session.Host = id.User, id.Host
	}
	st, err := Parse(statement, false)
	if err != nil {
		return nil, err
	}
	if st == nil {
		t.Fatalf("%s is not about accounts", statement)
	}
	return s.Run(st, session)
}

// errorText returns the SQLSTATE and the text of an error, "ok" if err is nil.
func errorText(err error) string {
	var e *mysql.SQLError
	if errors.As(err, &e) {
		return e.State + " " + e.Message
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}

func newTestStore(t *testing.T, statements ...string) *Store {
	t.Helper()
	s, err := Open(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range statements {
		if _, err := runAs(t, s, ID{}, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return s
}

// TestMatch checks that a client gets the account whose host pattern matches the fewest clients.
func TestMatch(t *testing.T) {
	s := newTestStore(t, "CREATE USER u@'%', u@localhost, u@'10.0.0.%', u@'10.0.0.1', u@'192.168.0.0/16', u@'172.16.0.0/255.255.0.0', ''@localhost, u@'%.example.com'")
	for _, test := range []struct{ user, host, ip, want string }{
		{"u", "localhost", "127.0.0.1", "u@localhost"},
		{"u", "localhost", "", "u@localhost"},
		{"v", "localhost", "", "@localhost"},
		{"u", "10.0.0.1", "10.0.0.1", "u@10.0.0.1"},
		{"u", "10.0.0.2", "10.0.0.2", "u@10.0.0.%"},
		{"u", "10.0.1.2", "10.0.1.2", "u@%"},
		{"u", "192.168.7.1", "192.168.7.1", "u@192.168.0.0/16"},
		{"u", "172.16.7.1", "172.16.7.1", "u@172.16.0.0/255.255.0.0"},
		{"u", "Db.Example.COM", "10.9.9.9", "u@%.example.com"},
		{"root", "localhost", "", "root@localhost"},
		{"root", "10.0.0.1", "10.0.0.1", ""},
		{"v", "10.0.0.1", "10.0.0.1", ""},
	} {
		got := ""
		if a := s.Match(Client{test.user, test.host, net.ParseIP(test.ip)}); a != nil {
			got = a.String()
		}
		if got != test.want {
			t.Errorf("%s@%s: got %q, want %q", test.user, test.host, got, test.want)
		}
	}
}

// TestShowGrants checks that SHOW GRANTS shows the grants of an account as MySQL does.
func TestShowGrants(t *testing.T) {
	s := newTestStore(t, "CREATE USER u@h", "CREATE ROLE r, q", "GRANT SELECT, RELOAD ON *.* TO u@h", "GRANT BACKUP_ADMIN, CLONE_ADMIN ON *.* TO u@h",
		"GRANT ROLE_ADMIN ON *.* TO u@h WITH GRANT OPTION", "GRANT ALL ON `d%`.* TO u@h", "GRANT INSERT (b, a), UPDATE (a), DELETE ON d.t TO u@h WITH GRANT OPTION",
		"GRANT EXECUTE ON PROCEDURE d.p TO u@h", "GRANT r TO u@h", "GRANT q TO u@h WITH ADMIN OPTION", "GRANT SELECT ON x.* TO r")
	want := []string{
		"GRANT SELECT, RELOAD ON *.* TO `u`@`h`", "GRANT BACKUP_ADMIN,CLONE_ADMIN ON *.* TO `u`@`h`", "GRANT ROLE_ADMIN ON *.* TO `u`@`h` WITH GRANT OPTION",
		"GRANT ALL PRIVILEGES ON `d%`.* TO `u`@`h`", "GRANT INSERT (`a`, `b`), UPDATE (`a`), DELETE ON `d`.`t` TO `u`@`h` WITH GRANT OPTION",
		"GRANT EXECUTE ON PROCEDURE `d`.`p` TO `u`@`h`", "GRANT `r`@`%` TO `u`@`h`", "GRANT `q`@`%` TO `u`@`h` WITH ADMIN OPTION",
	}
	if got := s.Access(ID{"u", "h"}, nil).Lines(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	with := s.Access(ID{"u", "h"}, []ID{{"r", "%"}}).Lines()
	if !slices.Contains(with, "GRANT SELECT ON `x`.* TO `u`@`h`") {
		t.Errorf("the grants of the active role are missing: %q", with)
	}
	for _, q := range []string{
		"REVOKE SELECT ON *.* FROM u@h", "REVOKE ALL ON `d%`.* FROM u@h", "REVOKE INSERT ON d.t FROM u@h", "REVOKE UPDATE (a) ON d.t FROM u@h",
		"REVOKE BACKUP_ADMIN, CLONE_ADMIN, ROLE_ADMIN ON *.* FROM u@h", "REVOKE r, q FROM u@h", "REVOKE EXECUTE ON PROCEDURE d.p FROM u@h",
	} {
		if _, err := runAs(t, s, ID{}, q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
	want = []string{"GRANT RELOAD ON *.* TO `u`@`h`", "GRANT DELETE ON `d`.`t` TO `u`@`h` WITH GRANT OPTION"}
	if got := s.Access(ID{"u", "h"}, nil).Lines(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestErrors checks that refused statements fail with MySQL's errors.
func TestErrors(t *testing.T) {
	s := newTestStore(t, "CREATE USER u@h", "CREATE ROLE r", "CREATE USER admin@h", "GRANT CREATE USER ON *.* TO admin@h")
	root, admin := ID{"root", "localhost"}, ID{"admin", "h"}
	for _, test := range []struct {
		as              ID
		statement, want string
	}{
		{root, "CREATE USER u@h", "HY000 Operation CREATE USER failed for 'u'@'h'"},
		{root, "CREATE USER IF NOT EXISTS u@h", "ok"},
		{root, "DROP USER x@h, u@x", "HY000 Operation DROP USER failed for 'x'@'h','u'@'x'"},
		{root, "DROP USER IF EXISTS x@h", "ok"},
		{root, "CREATE USER n IDENTIFIED WITH mysql_native_password BY 'x'", "HY000 Plugin 'mysql_native_password' is not loaded"},
		{root, "GRANT SELECT ON *.* TO x@h", "42000 You are not allowed to create a user with GRANT"},
		{root, "GRANT NO_SUCH_ADMIN ON *.* TO u@h", "HY000 Dynamic privilege `NO_SUCH_ADMIN` is not registered with the server."},
		{root, "GRANT BACKUP_ADMIN ON d.* TO u@h", "HY000 Illegal privilege level specified for BACKUP_ADMIN"},
		{root, "GRANT FILE ON d.* TO u@h", "HY000 Incorrect usage of DB GRANT and GLOBAL PRIVILEGES"},
		{root, "GRANT EXECUTE ON d.t TO u@h", "42000 Illegal GRANT/REVOKE command; please consult the manual to see which privileges can be used"},
		{root, "GRANT DELETE (a) ON d.t TO u@h", "HY000 Incorrect usage of COLUMN GRANT and NON-COLUMN PRIVILEGES"},
		{root, "GRANT SELECT (c) ON d.t TO u@h", "42S22 Unknown column 'c' in 't'"},
		{root, "GRANT SELECT ON d.missing TO u@h", "42S02 Table 'd.missing' doesn't exist"},
		{root, "GRANT CREATE ON d.missing TO u@h", "ok"},
		{root, "GRANT INSERT ON performance_schema.t TO u@h", "42000 INSERT, GRANT command denied to user 'root'@'localhost' for table 't'"},
		{root, "GRANT SELECT, CREATE ON performance_schema.* TO u@h", "42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{root, "GRANT ALL ON performance_schema.* TO u@h", "42000 Access denied for user 'root'@'localhost' to database 'performance_schema'"},
		{root, "REVOKE SELECT ON d.* FROM u@h", "42000 There is no such grant defined for user 'u' on host 'h'"},
		{root, "REVOKE SELECT ON d.x FROM u@h", "42000 There is no such grant defined for user 'u' on host 'h' on table 'x'"},
		{root, "GRANT r TO x@h", "HY000 Unknown authorization ID `x`@`h`"},
		{root, "GRANT x TO u@h", "HY000 Unknown authorization ID `x`@`%`"},
		{root, "SET DEFAULT ROLE r TO u@h", "HY000 `r`@`%` is not granted to `u`@`h`"},
		{root, "GRANT r TO r", "HY000 User account `r`@`%` is directly or indirectly granted to the role `r`@`%`. The GRANT would create a loop"},
		{root, "SHOW GRANTS FOR x@h", "42000 There is no such grant defined for user 'x' on host 'h'"},
		{root, "SET PASSWORD FOR x@h = 'y'", "42000 Can't find any matching row in the user table"},
		{root, "ALTER USER u@h IDENTIFIED BY 'x' REPLACE 'y'", "HY000 Incorrect current password. Specify the correct password which has to be replaced."},
		{admin, "DROP USER root@localhost", "42000 Access denied; you need (at least one of) the SYSTEM_USER privilege(s) for this operation"},
		{admin, "ALTER USER root@localhost IDENTIFIED BY 'x'", "42000 Access denied; you need (at least one of) the SYSTEM_USER privilege(s) for this operation"},
		{admin, "GRANT SELECT ON *.* TO admin@h", "28000 Access denied for user 'admin'@'h' (using password: NO)"},
		{admin, "GRANT BACKUP_ADMIN ON *.* TO admin@h", "42000 Access denied; you need (at least one of) the GRANT OPTION privilege(s) for this operation"},
		{admin, "GRANT r TO admin@h", "42000 Access denied; you need (at least one of) the WITH ADMIN, ROLE_ADMIN, SUPER privilege(s) for this operation"},
	} {
		if _, err := runAs(t, s, test.as, test.statement); errorText(err) != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.statement, errorText(err), test.want)
		}
	}
}

// TestParse checks which statements are about accounts, how their text hides passwords, and that it
// ends with the statement.
func TestParse(t *testing.T) {
	for statement, want := range map[string]string{
		"SELECT 1":            "",
		"CREATE TABLE t (a)":  "",
		"SET @a = 1":          "",
		"SHOW TABLES":         "",
		"create user u; rest": "create_user create user u",
		"/* a */ CREATE USER u@h IDENTIFIED BY 'it''s'":                                  "create_user CREATE USER u@h IDENTIFIED BY '<secret>'",
		"ALTER USER u IDENTIFIED WITH caching_sha2_password AS 'x' -- end":               "alter_user ALTER USER u IDENTIFIED WITH caching_sha2_password AS '<secret>'",
		"SET PASSWORD = 'x' REPLACE 'y'":                                                 "set_password SET PASSWORD = '<secret>' REPLACE '<secret>'",
		"ALTER USER CURRENT_USER() IDENTIFIED BY 'x'":                                    "alter_user ALTER USER CURRENT_USER() IDENTIFIED BY '<secret>'",
		"GRANT SELECT, UPDATE (a) ON d.t TO u@127.0.0.1 WITH GRANT OPTION;":              "grant GRANT SELECT, UPDATE (a) ON d.t TO u@127.0.0.1 WITH GRANT OPTION",
		"GRANT `a`@`b`, c TO u":                                                          "grant_roles GRANT `a`@`b`, c TO u",
		"REVOKE ALL PRIVILEGES, GRANT OPTION FROM u":                                     "revoke_all REVOKE ALL PRIVILEGES, GRANT OPTION FROM u",
		"CREATE USER u@h WITH MAX_USER_CONNECTIONS 3 ACCOUNT LOCK PASSWORD EXPIRE NEVER": "create_user CREATE USER u@h WITH MAX_USER_CONNECTIONS 3 ACCOUNT LOCK PASSWORD EXPIRE NEVER",
	} {
		st, err := Parse(statement, false)
		got := ""
		if st != nil {
			got = st.Kind + " " + st.Text
		}
		if err != nil || got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", statement, got, err, want)
		}
		if st != nil && !MayBe(statement) {
			t.Errorf("%s is about accounts, but MayBe reports false", statement)
		}
	}
	for _, statement := range []string{"CREATE USER", "GRANT SELECT ON *.* u", "DROP USER 'u", "SET PASSWORD 'x'", "CREATE USER u IDENTIFIED"} {
		if _, err := Parse(statement, false); !errors.Is(err, ErrSyntax) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"GRANT SELECT (a) ON `d`.* TO 'u'@'%'", "/*!50000 CREATE USER*/ u@h IDENTIFIED BY 'x'", "SET ROLE ALL EXCEPT r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, statement string) {
		st, err := Parse(statement, false)
		if st != nil && (err != nil || st.End > len(statement) || !MayBe(statement)) {
			t.Errorf("%q: %+v, %v", statement, st, err)
		}
	})
}

// TestPersistence checks that a store opens with the accounts that another store has saved, except
// temporary ones.
func TestPersistence(t *testing.T) {
	var saved []byte
	writes := 0
	s, err := Open(nil, func(data []byte) error { saved, writes = data, writes+1; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddTemporary("guest", "x"); err != nil || writes != 0 {
		t.Fatal(err, writes)
	}
	for _, q := range []string{"CREATE ROLE r", "CREATE USER u@h IDENTIFIED BY 'secret' DEFAULT ROLE r", "GRANT SELECT (a), DELETE ON d.t TO u@h", "GRANT BACKUP_ADMIN ON *.* TO u@h WITH GRANT OPTION"} {
		if _, err := runAs(t, s, ID{}, q); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(string(saved), "secret") || strings.Contains(string(saved), "guest") {
		t.Errorf("the saved accounts have a password or a temporary account: %s", saved)
	}
	reopened, err := Open(saved, func([]byte) error { t.Error("nothing has changed"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	u := ID{"u", "h"}
	if got, want := reopened.Access(u, []ID{{"r", "%"}}).Lines(), s.Access(u, []ID{{"r", "%"}}).Lines(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if a := reopened.Account(u); !reopened.CheckPassword(a, "secret") || reopened.CheckPassword(a, "secre") || reopened.Account(ID{"guest", "%"}) != nil {
		t.Error("the passwords are not the same, or the temporary account was saved")
	}
	if err := reopened.AddTemporary("guest", "x"); err != nil {
		t.Error(err)
	}
	failing, err := Open(nil, func([]byte) error { return errors.New("disk is full") })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runAs(t, failing, ID{}, "CREATE USER u"); err == nil || failing.Account(ID{"u", "%"}) != nil {
		t.Errorf("an account that could not be stored exists: %v", err)
	}
}

// TestSpecificGrants checks that, of several patterns that match a database, only the most specific
// one counts.
func TestSpecificGrants(t *testing.T) {
	s := newTestStore(t, "CREATE USER u", "GRANT SELECT ON `a%`.* TO u", "GRANT INSERT ON `ab%`.* TO u", "GRANT DELETE ON `abc`.* TO u", "GRANT UPDATE ON `x\\_y`.* TO u")
	a := s.Access(ID{"u", "%"}, nil)
	for schema, want := range map[string]Set{
		"a": SetOf(Select), "AX": SetOf(Select), "abx": SetOf(Insert), "abc": SetOf(Delete), "ABC": SetOf(Delete), "x_y": SetOf(Update), "xzy": {}, "b": {},
	} {
		if got := a.Schema(schema); got != want {
			t.Errorf("%s: got %v, want %v", schema, got.Names(), want.Names())
		}
	}
}

func BenchmarkAccess(b *testing.B) {
	s, err := Open(nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	a := s.Access(ID{"root", "localhost"}, nil)
	for b.Loop() {
		if a.Version != s.Version() || !a.Global().HasAll(schemaLevel) {
			b.Fatal("root may not")
		}
	}
}
