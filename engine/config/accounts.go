package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pfsd/engine/accounts"
	"pfsd/engine/errorlog"
	"pfsd/engine/syntax"
	"pfsd/instr"
)

// maxSecret is the largest file with the value of a variable, in bytes.
const maxSecret = 1 << 20

// accountOptions are the options that say who may log in.
func accountOptions() []option {
	return []option{
		{"skip-grant-tables", "", booleanOption, "OFF", 0, 0, "lets everybody in, to do everything",
			func(s *settings, v optionValue) error { s.SkipGrantTables = v.on; return nil }},
		{"allow-empty-password", "", booleanOption, "OFF", 0, 0, "serves addresses that other machines reach although somebody can sign in without a password",
			func(s *settings, v optionValue) error { s.AllowEmptyPassword = v.on; return nil }},
		{"init-file", "FILE", textOption, "", 0, 0, "file with statements that are carried out before anybody is let in, such as CREATE USER and GRANT",
			func(s *settings, v optionValue) error { s.InitFile = v.text; return nil }},
		{"mysql-native-password", "", booleanOption, "OFF", 0, 0, "accounts may have the plugin mysql_native_password",
			func(s *settings, v optionValue) error { s.NativePassword = v.on; return nil }},
	}
}

// containerEnvironment are the variables with which MySQL's own container image is told which
// accounts to create. A variable whose name has _FILE at the end names a file that contains the
// value.
var containerEnvironment = []string{
	"MYSQL_ROOT_PASSWORD", "MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD", "MYSQL_ROOT_HOST",
	"MYSQL_USER", "MYSQL_PASSWORD", "MYSQL_DATABASE", "MYSQL_ONETIME_PASSWORD",
}

// readContainer reads these variables from the environment.
func readContainer(environ []string) (map[string]string, error) {
	all := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		base, isFile := strings.CutSuffix(name, "_FILE")
		if !slices.Contains(containerEnvironment, base) {
			continue
		}
		if isFile && value != "" {
			text, err := (*instr.FileClass)(nil).ReadRegular(value, maxSecret)
			if err != nil {
				return nil, fmt.Errorf("environment variable %s: cannot read %s: %w", name, value, errorlog.Cause(err))
			}
			value = strings.TrimSuffix(string(text), "\n")
		}
		if _, twice := all[base]; twice {
			return nil, fmt.Errorf("both %s and %s_FILE are set", base, base)
		}
		if value != "" {
			all[base] = value
		}
	}
	return all, nil
}

// container converts these variables to statements: first are statements for a server that has no
// accounts yet, each are statements for each start. random is the generated password, "" if there
// is none.
func container(env map[string]string) (first, each []string, random string, err error) {
	password, rootHost := env["MYSQL_ROOT_PASSWORD"], env["MYSQL_ROOT_HOST"]
	if len(env) == 0 {
		return nil, nil, "", nil
	}
	if env["MYSQL_RANDOM_ROOT_PASSWORD"] != "" {
		if random, err = accounts.RandomPassword(); err != nil {
			return nil, nil, "", err
		}
		password = random
	}
	if password == "" && env["MYSQL_ALLOW_EMPTY_PASSWORD"] == "" {
		return nil, nil, "", errors.New("one of MYSQL_ROOT_PASSWORD, MYSQL_ALLOW_EMPTY_PASSWORD and MYSQL_RANDOM_ROOT_PASSWORD must be set, as other variables of the MySQL image are")
	}
	if rootHost == "" {
		rootHost = "%"
	}
	first = append(first, "ALTER USER 'root'@'localhost' IDENTIFIED BY "+syntax.QuotedText(password))
	if rootHost != "localhost" {
		root := "'root'@" + syntax.QuotedText(rootHost)
		first = append(first, "CREATE USER "+root+" IDENTIFIED BY "+syntax.QuotedText(password), "GRANT ALL ON *.* TO "+root+" WITH GRANT OPTION")
	}
	if env["MYSQL_ONETIME_PASSWORD"] != "" {
		first = append(first, "ALTER USER 'root'@"+syntax.QuotedText(rootHost)+" PASSWORD EXPIRE")
	}
	db := "`" + strings.ReplaceAll(env["MYSQL_DATABASE"], "`", "``") + "`"
	if env["MYSQL_DATABASE"] != "" {
		each = append(each, "CREATE DATABASE IF NOT EXISTS "+db)
	}
	user := syntax.QuotedText(env["MYSQL_USER"])
	switch {
	case env["MYSQL_USER"] == "root":
		return nil, nil, "", errors.New("MYSQL_USER must not be root: MYSQL_ROOT_PASSWORD is for its password")
	case (env["MYSQL_USER"] == "") != (env["MYSQL_PASSWORD"] == ""):
		return nil, nil, "", errors.New("MYSQL_USER and MYSQL_PASSWORD must be set both")
	case env["MYSQL_USER"] != "":
		first = append(first, "CREATE USER "+user+"@'%' IDENTIFIED BY "+syntax.QuotedText(env["MYSQL_PASSWORD"]))
		if env["MYSQL_DATABASE"] != "" {
			first = append(first, "GRANT ALL ON "+strings.NewReplacer("_", `\_`, "%", `\%`).Replace(db)+".* TO "+user+"@'%'")
		}
	}
	return first, each, random, nil
}

// forContainer adds the statements for the variables of MySQL's image.
func (o *Options) forContainer(environ []string) error {
	env, err := readContainer(environ)
	if err != nil {
		return err
	}
	first, each, random, err := container(env)
	o.InitOnce, o.GeneratedPassword = first, random
	o.AllowEmptyPassword = o.AllowEmptyPassword || env["MYSQL_ALLOW_EMPTY_PASSWORD"] != ""
	o.Init = append(o.Init, each...)
	return err
}
