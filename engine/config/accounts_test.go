package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestContainerAccounts tests the statements for the variables of MySQL's image.
func TestContainerAccounts(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		environ     []string
		first, each []string
		err         string
	}{
		{environ: []string{"HOME=/"}},
		{
			environ: []string{"MYSQL_ROOT_PASSWORD=it's"},
			first: []string{
				"ALTER USER 'root'@'localhost' IDENTIFIED BY 'it''s'", "CREATE USER 'root'@'%' IDENTIFIED BY 'it''s'",
				"GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION",
			},
		},
		{
			environ: []string{"MYSQL_ROOT_PASSWORD_FILE=" + secret, "MYSQL_ROOT_HOST=localhost"},
			first:   []string{"ALTER USER 'root'@'localhost' IDENTIFIED BY 'from a file'"},
		},
		{
			environ: []string{"MYSQL_ALLOW_EMPTY_PASSWORD=1", "MYSQL_ROOT_HOST=localhost", "MYSQL_DATABASE=my_db", "MYSQL_USER=app", "MYSQL_PASSWORD=x"},
			first:   []string{"ALTER USER 'root'@'localhost' IDENTIFIED BY ''", "CREATE USER 'app'@'%' IDENTIFIED BY 'x'", "GRANT ALL ON `my\\_db`.* TO 'app'@'%'"},
			each:    []string{"CREATE DATABASE IF NOT EXISTS `my_db`"},
		},
		{environ: []string{"MYSQL_DATABASE=d"}, err: "one of MYSQL_ROOT_PASSWORD, MYSQL_ALLOW_EMPTY_PASSWORD and MYSQL_RANDOM_ROOT_PASSWORD must be set, as other variables of the MySQL image are"},
		{environ: []string{"MYSQL_ROOT_PASSWORD=x", "MYSQL_USER=app"}, err: "MYSQL_USER and MYSQL_PASSWORD must be set both"},
		{environ: []string{"MYSQL_ROOT_PASSWORD=x", "MYSQL_USER=root", "MYSQL_PASSWORD=x"}, err: "MYSQL_USER must not be root: MYSQL_ROOT_PASSWORD is for its password"},
		{environ: []string{"MYSQL_ROOT_PASSWORD=x", "MYSQL_ROOT_PASSWORD_FILE=" + secret}, err: "both MYSQL_ROOT_PASSWORD and MYSQL_ROOT_PASSWORD_FILE are set"},
	} {
		line, err := ParseCommandLine(nil, test.environ)
		if err != nil || test.err != "" {
			if fmt.Sprint(err) != test.err {
				t.Errorf("%q: got %v, want %s", test.environ, err, test.err)
			}
			continue
		}
		if o := line.Options; !slices.Equal(o.InitOnce, test.first) || !slices.Equal(o.Init, test.each) {
			t.Errorf("%q\n got %q, %q\nwant %q, %q", test.environ, o.InitOnce, o.Init, test.first, test.each)
		}
	}
	line, err := ParseCommandLine(nil, []string{"MYSQL_RANDOM_ROOT_PASSWORD=yes"})
	if err != nil || len(line.Options.GeneratedPassword) < 16 {
		t.Errorf("a generated password: %q, %v", line.Options.GeneratedPassword, err)
	}
}
