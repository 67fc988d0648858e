package mysqldb

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/accounts"
)

// userPrivileges are the privilege columns of user before ssl_type, in their order. The columns for
// CREATE ROLE and DROP ROLE come after account_locked.
var userPrivileges = []struct {
	column    string
	privilege accounts.Privilege
}{
	{"Select_priv", accounts.Select}, {"Insert_priv", accounts.Insert}, {"Update_priv", accounts.Update}, {"Delete_priv", accounts.Delete},
	{"Create_priv", accounts.Create}, {"Drop_priv", accounts.Drop}, {"Reload_priv", accounts.Reload}, {"Shutdown_priv", accounts.Shutdown},
	{"Process_priv", accounts.Process}, {"File_priv", accounts.File}, {"Grant_priv", accounts.GrantOption}, {"References_priv", accounts.References},
	{"Index_priv", accounts.Index}, {"Alter_priv", accounts.Alter}, {"Show_db_priv", accounts.ShowDatabases}, {"Super_priv", accounts.Super},
	{"Create_tmp_table_priv", accounts.CreateTemporaryTables}, {"Lock_tables_priv", accounts.LockTables}, {"Execute_priv", accounts.Execute},
	{"Repl_slave_priv", accounts.ReplicationSlave}, {"Repl_client_priv", accounts.ReplicationClient}, {"Create_view_priv", accounts.CreateView},
	{"Show_view_priv", accounts.ShowView}, {"Create_routine_priv", accounts.CreateRoutine}, {"Alter_routine_priv", accounts.AlterRoutine},
	{"Create_user_priv", accounts.CreateUser}, {"Event_priv", accounts.Event}, {"Trigger_priv", accounts.Trigger},
	{"Create_tablespace_priv", accounts.CreateTablespace},
}

// user has a row for each account and role: its global privileges, authentication and limits.
var user = definition{
	name: "user", key: []string{"Host", "User"}, comment: "Users and global privileges",
	columns: slices.Concat(
		[]column{{"Host", hostType, "''", false}, {"User", userType, "''", false}},
		func() (all []column) {
			for _, p := range userPrivileges {
				all = append(all, flags(p.column)...)
			}
			return all
		}(),
		[]column{
			{"ssl_type", "enum('','ANY','X509','SPECIFIED')", "''", false},
			{"ssl_cipher", "blob", "", false},
			{"x509_issuer", "blob", "", false},
			{"x509_subject", "blob", "", false},
			{"max_questions", "int unsigned", "0", false},
			{"max_updates", "int unsigned", "0", false},
			{"max_connections", "int unsigned", "0", false},
			{"max_user_connections", "int unsigned", "0", false},
			{"plugin", pluginTyp, "caching_sha2_password", false},
			{"authentication_string", "text character set utf8mb3 collate utf8mb3_bin", "", true},
			{"password_expired", yesNo, "N", false},
			{"password_last_changed", "timestamp", "", true},
			{"password_lifetime", "smallint unsigned", "", true},
			{"account_locked", yesNo, "N", false},
			{"Create_role_priv", yesNo, "N", false},
			{"Drop_role_priv", yesNo, "N", false},
			{"Password_reuse_history", "smallint unsigned", "", true},
			{"Password_reuse_time", "smallint unsigned", "", true},
			{"Password_require_current", yesNo, "", true},
			{"User_attributes", "json", "", true},
		}),
	rows: func(all []*accounts.Account) (rows []sql.Row) {
		for _, a := range all {
			r := sql.Row{a.Host, a.User}
			for _, p := range userPrivileges {
				r = append(r, yesOrNo(a.Global.Has(p.privilege)))
			}
			tls := ""
			if a.RequireTLS {
				tls = "ANY"
			}
			known := map[string]any{}
			if a.Comment != "" {
				known["metadata"] = map[string]any{"comment": a.Comment}
			}
			if a.FailedLoginAttempts != 0 || a.PasswordLockDays != 0 {
				known["Password_locking"] = map[string]any{"failed_login_attempts": float64(a.FailedLoginAttempts), "password_lock_time_days": float64(a.PasswordLockDays)}
			}
			var attributes any
			if len(known) > 0 {
				attributes = types.JSONDocument{Val: known}
			}
			rows = append(rows, append(r, tls, []byte{}, []byte{}, []byte{}, uint32(a.MaxQueriesPerHour), uint32(a.MaxUpdatesPerHour), uint32(a.MaxConnectionsPerHour), uint32(a.MaxConnections), a.Plugin, a.Auth,
				yesOrNo(a.Expired), a.PasswordChanged, nil, yesOrNo(a.Locked), yesOrNo(a.Global.Has(accounts.CreateRole)), yesOrNo(a.Global.Has(accounts.DropRole)),
				nil, nil, nil, attributes))
		}
		return rows
	},
}

// loadUser makes the account of a row. It skips an account with a restriction that the server
// cannot enforce.
func loadUser(r *loader, row sql.Row) {
	a := &accounts.Account{
		ID: accounts.ID{User: text(user.value(row, "User")), Host: text(user.value(row, "Host"))}, Plugin: text(user.value(row, "plugin")),
		Auth: text(user.value(row, "authentication_string")), Limits: accounts.Limits{
			MaxQueriesPerHour: number(user.value(row, "max_questions")), MaxUpdatesPerHour: number(user.value(row, "max_updates")),
			MaxConnectionsPerHour: number(user.value(row, "max_connections")), MaxConnections: number(user.value(row, "max_user_connections")),
		},
		Expired: isYes(user.value(row, "password_expired")), PasswordChanged: timeOf(user.value(row, "password_last_changed")), Locked: isYes(user.value(row, "account_locked")),
	}
	switch text(user.value(row, "ssl_type")) {
	case "":
	case "ANY":
		a.RequireTLS = true
	default:
		r.warnUnsupported("account %s, which REQUIREs a certificate", a.Quoted())
		return
	}
	if !accounts.ValidHash(a.Plugin, a.Auth) {
		r.warnUnsupported("account %s, with the plugin %s and what it keeps of the password", a.Quoted(), a.Plugin)
		return
	}
	if a.PasswordChanged.IsZero() {
		a.PasswordChanged = time.Now()
	}
	for _, p := range userPrivileges {
		if isYes(user.value(row, p.column)) {
			a.Global = a.Global.With(accounts.SetOf(p.privilege))
		}
	}
	for column, p := range map[string]accounts.Privilege{"Create_role_priv": accounts.CreateRole, "Drop_role_priv": accounts.DropRole} {
		if isYes(user.value(row, column)) {
			a.Global = a.Global.With(accounts.SetOf(p))
		}
	}
	if err := loadAttributes(a, user.value(row, "User_attributes")); err != nil {
		r.warnUnsupported("account %s, of which User_attributes says %s", a.Quoted(), err)
		return
	}
	r.accounts[a.ID] = a
	r.order = append(r.order, a)
}

// loadAttributes reads User_attributes. Restrictions, which the server cannot enforce, are an
// error; other unknown attributes are ignored.
func loadAttributes(a *accounts.Account, v any) error {
	document, ok := v.(sql.JSONWrapper)
	if !ok {
		return nil
	}
	var known struct {
		Metadata struct{ Comment string }
		Locking  struct {
			Attempts int `json:"failed_login_attempts"`
			Days     int `json:"password_lock_time_days"`
		} `json:"Password_locking"`
		Restrictions any
	}
	plain, err := document.ToInterface(context.Background())
	if err != nil {
		return err
	}
	data, err := json.Marshal(plain)
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return err
	}
	if known.Restrictions != nil {
		return errors.New("Restrictions")
	}
	a.Comment, a.FailedLoginAttempts, a.PasswordLockDays = known.Metadata.Comment, known.Locking.Attempts, known.Locking.Days
	return nil
}
