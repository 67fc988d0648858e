package engine

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// clientNeed is what the test of a client needs to find on the machine.
type clientNeed struct {
	programs []string // in PATH, those that the client itself calls included
	file     string   // "" for none
	check    []string // a command that succeeds where the libraries are installed, nil for none
	packages []string // of Debian's, which have all of it but what npm ci in testdata/clients installs
	// heavy says that it is slow, or must be built first: only make clients runs it.
	heavy bool
}

// clientNeeds are the needs of all tests that run other programs, by the client's name. A test says needClient, and looks for
// nothing itself.
var clientNeeds = map[string]clientNeed{
	"mariadb":            {programs: []string{"mariadb"}, packages: []string{"mariadb-client"}},
	"mariadb-tools":      {programs: []string{"mariadb", "mariadb-admin", "mariadb-check", "mariadb-dump", "mariadb-show", "mariadb-slap"}, packages: []string{"mariadb-client"}},
	"mydumper":           {programs: []string{"mydumper", "myloader"}, packages: []string{"mydumper"}},
	"mysqltuner":         {programs: []string{"mysqltuner", "mysql", "mysqladmin"}, packages: []string{"mysqltuner", "mariadb-client"}},
	"pt-mysql-summary":   {programs: []string{"pt-mysql-summary", "mysql", "perl"}, packages: []string{"percona-toolkit", "mariadb-client"}},
	"pt-deadlock-logger": {programs: []string{"pt-deadlock-logger"}, check: []string{"perl", "-MDBD::mysql", "-e", "1"}, packages: []string{"percona-toolkit"}},
	"pt-query-digest":    {programs: []string{"pt-query-digest", "perl"}, packages: []string{"percona-toolkit"}},
	"sysbench":           {programs: []string{"sysbench"}, packages: []string{"sysbench"}, heavy: true},
	"mysql2":             {programs: []string{"node"}, file: clientDir + "/node_modules/mysql2", packages: []string{"nodejs", "npm"}},
	"mariadb-node":       {programs: []string{"node"}, file: clientDir + "/node_modules/mariadb", packages: []string{"nodejs", "npm"}},
	"pymysql":            {check: []string{debianPython, "-c", "import pymysql"}, packages: []string{"python3-pymysql"}},
	"mysqlclient":        {check: []string{debianPython, "-c", "import MySQLdb"}, packages: []string{"python3-mysqldb"}},
	"django":             {check: []string{debianPython, "-c", "import django, pymysql, MySQLdb"}, packages: []string{"python3-django", "python3-pymysql", "python3-mysqldb"}, heavy: true},
	"odbc":               {check: []string{debianPython, "-c", "import pyodbc; assert any('MariaDB' in d for d in pyodbc.drivers())"}, packages: []string{"python3-pyodbc", "odbc-mariadb"}, heavy: true},
	"jdbc":               {programs: []string{"java", "javac"}, file: jar, packages: []string{"libmariadb-java", "openjdk-17-jdk-headless"}, heavy: true},
	"php":                {programs: []string{"php"}, check: []string{"php", "-r", "exit(class_exists('mysqli') && class_exists('PDO') ? 0 : 1);"}, packages: []string{"php-cli", "php-mysql"}, heavy: true},
	"mysqld_exporter":    {programs: []string{"go"}, heavy: os.Getenv("CI") != "true"},
	"telegraf":           {programs: []string{"go"}, heavy: true},
	"mysqlreceiver":      {programs: []string{"go"}, heavy: true},
}

// debianPython is the interpreter that sees Debian's packages, whatever else is called python3.
const debianPython = "/usr/bin/python3"

// jar is where Debian has MariaDB's driver for Java.
const jar = "/usr/share/java/mariadb-java-client.jar"

// missing tells what of the need is not there, nil if all of it is.
func (n clientNeed) missing() error {
	for _, p := range n.programs {
		if _, err := exec.LookPath(p); err != nil {
			return err
		}
	}
	if n.file != "" {
		if _, err := os.Stat(n.file); err != nil {
			return err
		}
	}
	if n.check != nil {
		if out, err := exec.Command(n.check[0], n.check[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%q: %w %.300s", n.check, err, out)
		}
	}
	return nil
}

// needClient skips the test of a client that is not whole on this machine; where CI is true, it fails. PFSD_CLIENTS says which
// clients are asked for: none, all if it is something else, or those that are not heavy if it is empty.
func needClient(t testing.TB, name string) {
	t.Helper()
	n, ok := clientNeeds[name]
	asked := os.Getenv("PFSD_CLIENTS")
	switch {
	case !ok:
		t.Fatalf("clientNeeds does not say what %s needs", name)
	case asked == "none":
		t.Skip("no clients are asked for")
	case asked == "" && n.heavy:
		t.Skip("make clients runs this one")
	}
	err := n.missing()
	if err == nil {
		return
	}
	remedy := "install Go"
	if len(n.packages) > 0 {
		remedy = "apt-get install " + strings.Join(n.packages, " ")
	}
	if strings.HasPrefix(n.file, clientDir) {
		remedy += "; npm ci in testdata/clients"
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing (%s): %v", name, remedy, err)
	}
	t.Skipf("%s is MISSING, and this client NOT TESTED (%s): %v", name, remedy, err)
}

// TestClientsAreInstalled: make clients installs the packages of all clients, and CI those of the clients whose tests it runs.
func TestClientsAreInstalled(t *testing.T) {
	for script, heavy := range map[string]bool{clientDir + "/run": true, "../.ci/run": false} {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\n:;()|", r) })
		for name, n := range clientNeeds {
			if n.heavy && !heavy {
				continue
			}
			for _, p := range n.packages {
				if !slices.Contains(words, p) {
					t.Errorf("%s does not install %s, which %s needs", script, p, name)
				}
			}
		}
	}
}

// TestClientsMissing: a client of which only a part is there is missing.
func TestClientsMissing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	n := clientNeed{programs: []string{"tool", "helper"}}
	for _, p := range n.programs {
		if n.missing() == nil {
			t.Errorf("nothing is missing before there is %s", p)
		}
		if err := os.WriteFile(dir+"/"+p, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.missing(); err != nil {
		t.Error(err)
	}
	for name, n := range map[string]clientNeed{"file": {file: dir + "/none"}, "check": {check: []string{dir + "/none"}}} {
		if n.missing() == nil {
			t.Errorf("a %s that is not there is not missing", name)
		}
	}
}
