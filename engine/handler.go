package engine

import (
	"context"
	"math"
	"net"
	"sync/atomic"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/catalog"
	"pfsd/engine/compat"
	"pfsd/engine/diagnostics"
	"pfsd/engine/errorlog"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/panics"
	"pfsd/engine/plancache"
	"pfsd/engine/processlist"
	"pfsd/engine/profiling"
	"pfsd/engine/results"
	"pfsd/engine/rights"
	"pfsd/engine/secrets"
	"pfsd/engine/storage"
	"pfsd/engine/sysvar"
	"pfsd/engine/uservars"
	"pfsd/engine/wire"
	"pfsd/tables"
)

// handler is what the protocol layer calls, on the goroutine of the connection, which
// does all of the connection's work. Safe for concurrent use.
type handler struct {
	engine   *sqle.Engine
	provider *catalog.Provider
	clients  *processlist.List
	count    *wire.ConnectionCount
	prepared *atomic.Int64 // how many prepared statements there are
	log      *errorlog.Log
	panics   panics.Caught
	auth     mysql.AuthServer
	// statistics are what COM_STATISTICS answers.
	statistics func() string
	// variables are the system variables of the server.
	variables *sysvar.Server
	accounts  *accounts.Store
	kept      *plancache.Cache
	tables    *storage.Provider
	// everybody tells that everybody may do everything.
	everybody bool
	lastEvent atomic.Uint32 // that ran, from the start
	*kinds
}

var _ mysql.Handler = (*handler)(nil)

func clientOf(c *mysql.Conn) *client { return c.ClientData.(*client) }

// NewConnection implements mysql.Handler: the goroutine becomes the connection's thread.
func (h *handler) NewConnection(c *mysql.Conn) {
	cl := &client{wire: c.Conn.(*wire.Conn)}
	h.freshState(c) // in the greeting
	cl.thread = h.reg.AttachConnection("sql/one_connection", uint64(c.ConnectionID))
	cl.thread.SetCommand("Connect")
	cl.work = newWork(h.kinds, cl.thread, uint64(c.ConnectionID))
	cl.listed.ID, cl.listed.Wire, cl.listed.Thread, cl.listed.Work = c.ConnectionID, cl.wire, cl.thread, cl.work
	cl.work.client = cl
	cl.work.preparations = preparedStatements{conn: c, engine: h.engine, count: h.prepared, used: &cl.work.used}
	cl.work.answers = &answers{Writer: results.Writer{Packets: wire.Packets{Conn: cl.wire}, Client: c}, work: cl.work}
	kept := cl.work.account.NewHold(nil)
	cl.work.vars = uservars.New(cl.thread, &h.kinds.memory.userVars, kept)
	cl.work.used = used{thread: cl.thread, memories: &h.kinds.memory, variables: &cl.work.vars, kept: kept}
	cl.work.used.connected()
	cl.wire.Status.Connections.Add(1)
	cl.wire.Attach(c, cl.thread, connection{cl, h, c})
	cl.wire.SignInWithin(time.Duration(h.variables.Integer("connect_timeout")) * time.Second)
	c.ClientData = cl
	if !h.clients.Add(&cl.listed) {
		_ = cl.wire.Close()
		return
	}
	cl.wire.Enter(context.Background())
}

// ConnectionAborted implements mysql.Handler.
func (h *handler) ConnectionAborted(*mysql.Conn, string) error { return nil }

// ConnectionAuthenticated implements mysql.Handler.
func (h *handler) ConnectionAuthenticated(c *mysql.Conn) error {
	cl := clientOf(c)
	kind := "Socket"
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		kind = "TCP/IP"
		cl.thread.SetPort(a.Port)
	}
	if cl.wire.Encrypted() {
		kind = "SSL/TLS"
	}
	if err := h.place(cl, h.rights(c.UserData, c.User)); err != nil {
		return err
	}
	schema, attrs, ok := cl.wire.Login()
	cl.thread.SetConnectionType(kind)
	h.admit(c, cl)
	h.keepAttrs(cl, attrs, ok)
	cl.work.logConnect(schema, kind)
	cl.thread.SetCommand("Sleep")
	return nil
}

// place finds a place for a client with these rights that has signed in. The error is why there is none.
func (h *handler) place(cl *client, r rights.Rights) error {
	cl.wire.Half().Remove(cl.wire)
	if cl.wire.Admin {
		return needsAdmin(r)
	}
	if !h.count.SignIn(r.Access().HasAny(accounts.Super, accounts.ConnectionAdmin)) {
		cl.wire.Status.Refused.Add(1)
		return mysqlerr.TooManyConnections
	}
	cl.counted = true
	return nil
}

// admit lets in the user that the client has proved to be.
func (h *handler) admit(c *mysql.Conn, cl *client) {
	cl.work.rights = h.rights(c.UserData, c.User)
	h.clients.LogIn(&cl.listed, c.User, cl.wire.Host, cl.work.rights.Account)
	cl.thread.SetAccount(c.User, cl.wire.Host)
	h.newSession(c, cl)
	h.interactive(cl)
}

// rights are those of a client that has logged in.
func (h *handler) rights(client mysql.Getter, user string) (r rights.Rights) {
	l, _ := client.(wire.Login)
	if l.Account == nil {
		r = rights.Everything(user)
	} else {
		r = rights.New(h.accounts, h.provider, l.Account.ID, l.Account.Defaults, user)
	}
	r.Password = l.Password
	return r
}

// rightsOf are those of an account that nobody has logged in with.
func (h *handler) rightsOf(id accounts.ID) rights.Rights {
	if h.everybody {
		return rights.Everything(id.User)
	}
	id = h.accounts.Definer(id)
	var roles []accounts.ID
	if a := h.accounts.Account(id); a != nil {
		roles = a.Defaults
	}
	return rights.New(h.accounts, h.provider, id, roles, id.User)
}

// newSession gives the connection a fresh session.
func (h *handler) newSession(c *mysql.Conn, cl *client) {
	cl.work.slow.unknown, cl.work.answers.unknown = true, true
	cl.work.profiles = profiling.Profiles{}
	cl.work.profiles.Ask()
	cl.work.users.DropTemporary()
	cl.session, cl.prepared = h.session(cl.listed.User(), cl.listed.Host(), c.Capabilities, c.ConnectionID), nil
	cl.work.variables = h.variables.NewSession()
	cl.work.limits = &cl.work.variables.Memory
	cl.listed.Variables.Store(cl.work.variables)
	cl.work.used.begun()
	h.freshState(c)
}

// freshState has the client be told what a new session is like.
func (h *handler) freshState(c *mysql.Conn) {
	c.StatusFlags = 0
	if h.variables.Integer("autocommit") != 0 {
		c.StatusFlags = mysql.ServerStatusAutocommit
	}
}

// session returns a session of a user's; id is its connection's.
func (h *handler) session(user, host string, capabilities, id uint32) sql.Session {
	var base *sql.BaseSession
	compat.NewSession(func() {
		base = sql.NewBaseSessionWithClientServer("", sql.Client{User: user, Address: host, Capabilities: capabilities}, id)
	})
	base.SetLogger(compat.QuietLogger())
	return h.provider.NewStorageSession(base)
}

// ConnectionClosed implements mysql.Handler.
func (h *handler) ConnectionClosed(c *mysql.Conn) {
	cl := clientOf(c)
	cl.work.endSimple()
	cl.work.trx.End(false)
	cl.work.preparations.dropAll()
	cl.work.opened.Close()
	cl.work.locks.Close()
	if cl.session != nil {
		sql.SessionEnd(cl.session)
	}
	_ = c.FlushBuffer()
	cl.wire.Half().Remove(cl.wire)
	database := ""
	if cl.session != nil {
		database = cl.session.GetCurrentDatabase()
	}
	cl.wire.Ended(cl.listed.ID, cl.listed.User(), database)
	cl.wire.HangUp()
	h.clients.Remove(&cl.listed)
	cl.work.used.disconnected()
	cl.work.account.Close()
	cl.thread.Detach()
	if cl.counted {
		h.count.SignOut()
	}
	h.count.Leave()
}

// ComInitDB implements mysql.Handler.
func (h *handler) ComInitDB(c *mysql.Conn, name string) (err error) {
	w := clientOf(c).work
	w.opening = clientOf(c).wire.Opening
	defer func() { w.opening = false }()
	err = h.command(context.Background(), c, commandInitDB, name, func(ctx *sql.Context) error {
		if err := h.initDB(ctx, name); err != nil {
			return err
		}
		clientOf(c).work.statement.done = true
		return nil
	})
	if w := clientOf(c).wire; err != nil && w.Opening {
		w.Fails(tables.HostDefaultDatabase, nil)
	}
	return err
}

// initDB makes a database the session's current one.
func (h *handler) initDB(ctx *sql.Context, name string) error {
	db, err := h.engine.Analyzer.Catalog.Database(ctx, name)
	if !access.Visible(ctx, name, "") {
		err = access.ErrSchemaDenied(ctx, name) // whether it is there or not
	}
	if err != nil {
		return err
	}
	ctx.SetCurrentDatabase(db.Name())
	return ctx.Session.UseDatabase(ctx, db)
}

// ComPrepare implements mysql.Handler. The protocol layer is never given the command: see prepare.
func (h *handler) ComPrepare(context.Context, *mysql.Conn, string, *mysql.PrepareData) ([]*querypb.Field, error) {
	return nil, mysqlerr.NoCommand()
}

// ComQuery implements mysql.Handler.
func (h *handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) error {
	name := commandQuery
	if clientOf(c).wire.Command() == wire.ComFieldList {
		name = commandFieldList
	}
	return h.command(ctx, c, name, query, func(ctx *sql.Context) (err error) {
		w := clientOf(c).work
		s := statement{columns: name != commandQuery}
		if name != commandQuery {
			s.parsed, s.query, _, err = h.engine.Parser.Parse(ctx, query, false)
		} else {
			_, err = h.parse(ctx, w, query, false, &s)
		}
		if err != nil {
			return err
		}
		return h.execute(ctx, c, s, send)
	})
}

// ComMultiQuery implements mysql.Handler: it carries out the first statement of query
// and returns the others.
func (h *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) (rest string, err error) {
	err = h.command(ctx, c, commandQuery, query, func(ctx *sql.Context) (err error) {
		s := statement{}
		if rest, err = h.parse(ctx, clientOf(c).work, query, true, &s); err != nil {
			return err
		}
		s.more = rest != ""
		err = h.execute(ctx, c, s, send)
		if clientOf(c).wire.Interrupted {
			rest = "" // the result ended with an error: so does the command
		}
		return err
	})
	if err != nil {
		rest = ""
	}
	return rest, err
}

// ComStmtExecute implements mysql.Handler.
func (h *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, p *mysql.PrepareData, send func(*sqltypes.Result) error) error {
	return h.command(ctx, c, commandExecute, p.PrepareStmt, func(ctx *sql.Context) error {
		w := clientOf(c).work
		prepared := w.preparations.byID[p.StatementID]
		defer w.preparations.resetLong(p.StatementID)
		if l := prepared.long; l != nil && l.err != nil {
			return l.err
		}
		w.command(w.prepared(ctx, prepared.text))
		w.thread.Execute(prepared.PreparedStatement)
		bindings := prepared.startBindings(len(p.BindVars))
		defer prepared.endBindings()
		for name, b := range p.BindVars {
			wire.MendTemporal(p, name, b)
			v, err := sqltypes.BindVariableToValue(b)
			if err != nil {
				return err
			}
			if bindings[name], err = sqlparser.ExprFromValue(v); err != nil {
				return err
			}
		}
		w.calls(w.statement.tree, nil)
		s := statement{query: prepared.text, bindings: bindings, binary: true}
		h.bind(ctx, w, prepared, &s)
		return h.execute(ctx, c, s, func(r *sqltypes.Result, _ bool) error { return send(r) })
	})
}

// ComResetConnection implements mysql.Handler: all of the session goes but the database.
func (h *handler) ComResetConnection(c *mysql.Conn) error {
	return h.command(context.Background(), c, commandReset, "", func(ctx *sql.Context) error {
		cl := clientOf(c)
		db := ctx.GetCurrentDatabase()
		cl.leave()
		h.newSession(c, cl)
		cl.work.diagnostics = diagnostics.Area{}
		cl.work.rights.Reset()
		cl.session.SetCurrentDatabase(db)
		cl.work.statement.done = true
		return nil
	})
}

// leave takes from a client what its session has, and ends the session.
func (c *client) leave() {
	c.work.trx.End(false)
	c.work.locks.UnlockAll()
	c.work.preparations.dropAll()
	c.thread.ClearUserVariables()
	c.thread.ResetStatus()
	sql.SessionEnd(c.session)
}

// WarningCount implements mysql.Handler.
func (h *handler) WarningCount(c *mysql.Conn) uint16 {
	if w := clientOf(c).work; w != nil {
		return uint16(min(w.diagnostics.Raised, math.MaxUint16))
	}
	return 0
}

// ParserOptionsForConnection implements mysql.Handler.
func (h *handler) ParserOptionsForConnection(c *mysql.Conn) (sqlparser.ParserOptions, error) {
	return sql.LoadSqlMode(h.newContext(context.Background(), clientOf(c), "")).ParserOptions(), nil
}

// command brackets one command of a client: it is in the process list and the threads
// table while it runs, can be killed, and a panic in it is an error like any other.
func (h *handler) command(ctx context.Context, c *mysql.Conn, name, text string, do func(*sql.Context) error) (err error) {
	cl := clientOf(c)
	cancellable, cancel := context.WithCancelCause(ctx)
	sc := h.newContext(cancellable, cl, text)
	shown := text
	if name != commandExecute { // whose text is that which PREPARE has shown
		shown = secrets.Hide(text)
	}
	cl.work.begin(sc, name, shown)
	cl.work.statement.hidden = shown != text
	cl.work.cancel = cancel
	cl.wire.StartCommand()
	began := h.clients.Begin(&cl.listed, name, shown, cancel)
	cl.thread.SetCommand(name)
	cl.thread.SetInfo(shown)
	h.begins(cl, name, shown)
	defer func() {
		if err != nil {
			cause := err
			err = h.guard(text, func() error { return cl.work.raise(sc, cause) })
		}
		cl.work.processor.End()
		cl.thread.StartStage(cl.work.stages.Cleaning)
		cl.thread.SetInfo("")
		cl.thread.SetCommand("Sleep")
		db := sc.GetCurrentDatabase()
		cl.thread.SetDB(db)
		took := h.clients.End(&cl.listed, db).Sub(began)
		cl.work.took(sc, took)
		cl.wire.EndCommand()
		cancel(nil)
		cl.work.end(sc)
		h.ended(cl, name, began, took)
	}()
	return h.guard(text, func() error {
		w := cl.work
		if w.processor != nil {
			if err := w.processor.Begin(sc, cl.wire.Admin || w.rights.Access().HasAny(accounts.Super, accounts.ConnectionAdmin)); err != nil {
				return err
			}
		}
		return do(sc)
	})
}

// guard makes an error of a panic in do; the log gets the stack, once for each place that panics.
func (h *handler) guard(text string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if refused := panics.Refusal(); refused != nil {
				err = refused
				return
			}
			if report := h.panics.Report(p, secrets.Hide(text)); report != "" {
				h.log.Write(errorlog.InternalError, report)
			}
			err = mysql.NewSQLError(1815, "HY000", "Internal error: %v", p)
		}
	}()
	return do()
}

func (h *handler) newContext(ctx context.Context, cl *client, query string) *sql.Context {
	return sql.NewContext(ctx,
		sql.WithSession(cl.session),
		sql.WithPid(uint64(cl.listed.ID)),
		sql.WithQuery(query),
		sql.WithMemoryManager(h.engine.MemoryManager),
		sql.WithProcessList(&processes{h.clients, cl.work}),
		sql.WithServices(sql.Services{KillConnection: func(id uint32) error { h.clients.Stop(id, true); return nil }}),
	)
}
