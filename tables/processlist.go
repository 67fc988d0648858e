package tables

import (
	"strconv"
	"time"
)

// The connections and what they are doing.
//
// MySQL: performance_schema.processlist, since 8.0.22.
var _ = register(Def[*threadRow]{
	Name:     "processlist",
	Doc:      "The connections and what they are doing.",
	Recorded: OfServer,
	Columns: []Column[*threadRow]{
		{Name: "ID", Kind: bigintUnsigned, Get: func(r *threadRow) Value { return Uint(r.Process) }, Doc: "The connection's number, CONNECTION_ID()."},
		{Name: "USER", Kind: varchar(32).nullable(), Get: (*threadRow).user, Doc: "The user; 'unauthenticated user' before login."},
		{Name: "HOST", Kind: varchar(261).nullable().asciiText(), Get: (*threadRow).hostAndPort, Doc: "The client's host, with a colon and the port if it has one; NULL before login."},
		{Name: "DB", Kind: varchar(64).nullable(), Get: func(r *threadRow) Value { return textOrNull(cut(r.DB, 64)) }, Doc: "The default database; NULL if there is none."},
		{Name: "COMMAND", Kind: varchar(16).nullable(), Get: (*threadRow).command, Doc: "The kind of command that runs, Sleep between commands."},
		{Name: "TIME", Kind: bigint.nullable(), Get: (*threadRow).seconds, Doc: "How long the command has been running or the connection asleep, seconds."},
		{Name: "STATE", Kind: varchar(64).nullable(), Get: func(r *threadRow) Value { return textOrNull(cut(r.State, 64)) }, Doc: "What the thread is doing; NULL if nothing is known."},
		{Name: "INFO", Kind: longtext.nullable(), Get: func(r *threadRow) Value { return clientText(r.Info) }, Doc: "The statement that runs; NULL if none does."},
		{Name: "EXECUTION_ENGINE", Kind: engines.nullable(), Get: func(*threadRow) Value { return Text("PRIMARY") }, Doc: "Always PRIMARY."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"ID"}, Unique: true}},
	Estimate: fixedEstimate,
	Rows: func(model Model, key Key) Source[*threadRow] {
		user, only := "", false
		if p, ok := model.Provided(limitKey{}).(UserLimit); ok && p != nil {
			user, only = p()
		}
		return mapped(list(connectionsNamed(model, key, "ID")), func(r *threadRow, t Thread) bool {
			info, ok := t.Snapshot()
			*r = threadRow{info, t, time.Now()}
			return ok && r.Process != 0 && (!only || r.Account.User == user) && key.allows("ID", Uint(r.Process))
		})
	},
})

// A UserLimit limits what processlist shows to the reader on the calling goroutine: if only is
// true, only the connections of user, else all. Safe for concurrent use.
type UserLimit func() (user string, only bool)

type limitKey struct{}

// LimitUsers sets the limit of processlist in a model; with nil everybody sees all connections.
// Safe for concurrent use.
func LimitUsers(model Model, p UserLimit) {
	if p == nil {
		model.Provide(limitKey{}, nil)
		return
	}
	model.Provide(limitKey{}, p)
}

func (r *threadRow) user() Value {
	if r.Account.User == "" {
		return Text("unauthenticated user")
	}
	return userName(r.Account.User)
}

func (r *threadRow) hostAndPort() Value {
	if r.Account.Host == "" || r.Port == 0 {
		return hostName(r.Account.Host)
	}
	return Text(cut(r.Account.Host, 255) + ":" + strconv.Itoa(r.Port))
}
