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

// userPrivileges are the columns of user about privileges before ssl_type, in their order; CREATE ROLE and DROP ROLE
// have theirs behind account_locked.
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

// user is a row for each account and role: what it may do everywhere, how it logs in, and what limits it.
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
				r = append(r, yn(a.Global.Has(p.privilege)))
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
			none := uint32(0)
			rows = append(rows, append(r, tls, []byte{}, []byte{}, []byte{}, none, none, none, uint32(a.MaxConnections), a.Plugin, a.Auth,
				yn(a.Expired), a.PasswordChanged, nil, yn(a.Locked), yn(a.Global.Has(accounts.CreateRole)), yn(a.Global.Has(accounts.DropRole)),
				nil, nil, nil, attributes))
		}
		return rows
	},
}

// takeUser makes the account of a row. One that the server would let in where MySQL does not, or let do more, is left out.
func takeUser(r *reading, row sql.Row) {
	a := &accounts.Account{
		ID: accounts.ID{User: text(user.of(row, "User")), Host: text(user.of(row, "Host"))}, Plugin: text(user.of(row, "plugin")),
		Auth: text(user.of(row, "authentication_string")), MaxConnections: number(user.of(row, "max_user_connections")),
		Expired: yes(user.of(row, "password_expired")), PasswordChanged: moment(user.of(row, "password_last_changed")), Locked: yes(user.of(row, "account_locked")),
	}
	switch text(user.of(row, "ssl_type")) {
	case "":
	case "ANY":
		a.RequireTLS = true
	default:
		r.leave("account %s, which REQUIREs a certificate", a.Quoted())
		return
	}
	if !accounts.ValidHash(a.Plugin, a.Auth) {
		r.leave("account %s, with the plugin %s and what it keeps of the password", a.Quoted(), a.Plugin)
		return
	}
	if a.PasswordChanged.IsZero() {
		a.PasswordChanged = time.Now()
	}
	for _, p := range userPrivileges {
		if yes(user.of(row, p.column)) {
			a.Global = a.Global.With(accounts.SetOf(p.privilege))
		}
	}
	for column, p := range map[string]accounts.Privilege{"Create_role_priv": accounts.CreateRole, "Drop_role_priv": accounts.DropRole} {
		if yes(user.of(row, column)) {
			a.Global = a.Global.With(accounts.SetOf(p))
		}
	}
	if err := takeAttributes(a, user.of(row, "User_attributes")); err != nil {
		r.leave("account %s, of which User_attributes says %s", a.Quoted(), err)
		return
	}
	r.accounts[a.ID] = a
	r.order = append(r.order, a)
}

// takeAttributes reads what User_attributes says of an account. Of what the server does not know, only what gives the account
// less may be missed.
func takeAttributes(a *accounts.Account, v any) error {
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
