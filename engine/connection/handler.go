package connection

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
	"pfsd/engine/captures"
	"pfsd/engine/catalog"
	"pfsd/engine/errorlog"
	"pfsd/engine/globals"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/panics"
	"pfsd/engine/parsing"
	"pfsd/engine/plancache"
	"pfsd/engine/prepared"
	"pfsd/engine/processlist"
	"pfsd/engine/processor"
	"pfsd/engine/profiling"
	"pfsd/engine/results"
	"pfsd/engine/rights"
	"pfsd/engine/secrets"
	"pfsd/engine/statements"
	"pfsd/engine/sysvar"
	"pfsd/engine/uservars"
	"pfsd/engine/wire"
	"pfsd/tables"
)

// Handler is what the protocol layer calls, on the goroutine of the connection, which
// does all of the connection's work. Safe for concurrent use.
type Handler struct {
	Engine   *sqle.Engine
	Provider *catalog.Provider
	Clients  *processlist.List
	Count    *wire.ConnectionCount
	Prepared *atomic.Int64 // how many prepared statements there are
	Log      *errorlog.Log
	panics   panics.Caught
	Auth     mysql.AuthServer
	// Statistics are what COM_STATISTICS answers.
	Statistics func() string
	// Variables are the system variables of the server.
	Variables *sysvar.Server
	Accounts  *accounts.Store
	Plans     plancache.Planner
	Profiler  *captures.Profiler
	// Everybody reports whether everybody may do everything: --skip-grant-tables.
	Everybody bool
	lastEvent atomic.Uint32 // that ran, from the start
	*Instruments
}

var _ mysql.Handler = (*Handler)(nil)

func ClientOf(c *mysql.Conn) *Client { return c.ClientData.(*Client) }

// NewConnection implements mysql.Handler: the goroutine becomes the connection's thread.
func (h *Handler) NewConnection(c *mysql.Conn) {
	cl := &Client{Wire: c.Conn.(*wire.Conn)}
	h.freshState(c) // in the greeting
	cl.thread = h.reg.AttachConnection("sql/one_connection", uint64(c.ConnectionID))
	cl.thread.SetCommand("Connect")
	cl.work = newWork(h.Instruments, cl.thread, uint64(c.ConnectionID))
	cl.Listed.ID, cl.Listed.Wire, cl.Listed.Thread, cl.Listed.Work = c.ConnectionID, cl.Wire, cl.thread, cl.work
	cl.work.list = h.Clients
	cl.work.Client = cl
	kept := cl.work.account.NewHold(nil)
	cl.work.Preparations.Serve(c, prepared.Server{Engine: h.Engine, Count: h.Prepared, Memory: h.memory.prepared}, kept)
	cl.work.answers = results.NewAnswers(results.Writer{Packets: wire.Packets{Conn: cl.Wire}, Client: c}, &cl.work.results, cl.work.trx)
	cl.work.programs.Answers = cl.work.answers
	cl.work.vars = uservars.New(cl.thread, &h.Instruments.memory.userVars, kept)
	cl.work.used = connectionMemory{thread: cl.thread, memories: &h.Instruments.memory, variables: &cl.work.vars, kept: kept}
	cl.work.used.beginConnection()
	cl.Wire.Status.Connections.Add(1)
	cl.Wire.Attach(c, cl.thread, connection{cl, h, c})
	cl.Wire.SignInWithin(time.Duration(h.Variables.Integer("connect_timeout")) * time.Second)
	c.ClientData = cl
	if !h.Clients.Add(&cl.Listed) {
		_ = cl.Wire.Close()
		return
	}
	cl.Wire.Enter(context.Background())
}

// ConnectionAborted implements mysql.Handler.
func (h *Handler) ConnectionAborted(*mysql.Conn, string) error { return nil }

// ConnectionAuthenticated implements mysql.Handler.
func (h *Handler) ConnectionAuthenticated(c *mysql.Conn) error {
	cl := ClientOf(c)
	kind := "Socket"
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		kind = "TCP/IP"
		cl.thread.SetPort(a.Port)
	}
	if cl.Wire.Encrypted() {
		kind = "SSL/TLS"
	}
	if err := h.countSignIn(cl, h.rights(c.UserData, c.User)); err != nil {
		return err
	}
	schema, attrs, ok := cl.Wire.Login()
	cl.thread.SetConnectionType(kind)
	h.admit(c, cl)
	h.keepAttrs(cl, attrs, ok)
	cl.work.logConnect(schema, kind)
	cl.thread.SetCommand("Sleep")
	return nil
}

// enter counts a client with these rights among those of its account. The error is that there are too many.
func (h *Handler) enter(cl *Client, r rights.Rights) error {
	if r.Store == nil {
		return nil
	}
	if err := r.Store.Enter(r.Account, int(h.Variables.Integer("max_user_connections"))); err != nil {
		return err
	}
	cl.entered, cl.entry = true, r.Account
	return nil
}

// leave ends what enter has counted.
func (h *Handler) leave(cl *Client) {
	if cl.entered {
		cl.entered = false
		h.Accounts.Leave(cl.entry)
	}
}

// countSignIn counts a client with these rights that has signed in. The error is that there are too many.
func (h *Handler) countSignIn(cl *Client, r rights.Rights) error {
	cl.Wire.Half().Remove(cl.Wire)
	if err := h.enter(cl, r); err != nil {
		return err
	}
	if cl.Wire.Admin {
		return needsAdmin(r)
	}
	if !h.Count.SignIn(r.Access().HasAny(accounts.Super, accounts.ConnectionAdmin)) {
		cl.Wire.Status.Refused.Add(1)
		return mysqlerr.TooManyConnections
	}
	cl.counted = true
	return nil
}

// admit lets in the user that the client has proved to be.
func (h *Handler) admit(c *mysql.Conn, cl *Client) {
	cl.work.Rights = h.rights(c.UserData, c.User)
	h.Clients.LogIn(&cl.Listed, c.User, cl.Wire.Host, cl.work.Rights.Account)
	cl.thread.SetAccount(c.User, cl.Wire.Host)
	h.newSession(c, cl)
	h.setInteractiveTimeout(cl)
}

// rights returns the rights of a client that has signed in.
func (h *Handler) rights(client mysql.Getter, user string) (r rights.Rights) {
	l, _ := client.(wire.Login)
	if l.Account == nil {
		r = rights.Everything(user)
	} else {
		r = rights.New(h.Accounts, h.Provider, l.Account.ID, l.Account.Defaults, user)
	}
	r.Password = l.Password
	return r
}

// rightsOf returns the rights of an account for work that no client has signed in for.
func (h *Handler) rightsOf(id accounts.ID) rights.Rights {
	if h.Everybody {
		return rights.Everything(id.User)
	}
	id = h.Accounts.Definer(id)
	var roles []accounts.ID
	if a := h.Accounts.Account(id); a != nil {
		roles = a.Defaults
	}
	return rights.New(h.Accounts, h.Provider, id, roles, id.User)
}

// newSession gives the connection a fresh session.
func (h *Handler) newSession(c *mysql.Conn, cl *Client) {
	cl.work.slow.unknown = true
	cl.work.profiles = profiling.Profiles{}
	cl.work.profiles.Ask()
	cl.work.users.DropTemporary()
	cl.Session = h.session(cl.Listed.User(), cl.Listed.Host(), c.Capabilities, c.ConnectionID)
	cl.work.boundWarnings(cl.Session)
	cl.work.setHold.Release()
	cl.work.Variables = h.Variables.NewSession()
	if a := cl.work.Rights.Access(); a != nil && a.Account.MaxConnections != 0 {
		cl.work.Variables.Begin(cl.Session, "max_user_connections", uint64(a.Account.MaxConnections))
	}
	cl.work.plans.Use(cl.work.Variables)
	cl.work.limits = &cl.work.Variables.Memory
	cl.Listed.Variables.Store(cl.work.Variables)
	cl.work.used.beginSession()
	h.freshState(c)
}

// freshState sets the status flags of a new session, which the client gets.
func (h *Handler) freshState(c *mysql.Conn) {
	c.StatusFlags = 0
	if h.Variables.Integer("autocommit") != 0 {
		c.StatusFlags = mysql.ServerStatusAutocommit
	}
}

// session returns a new session of a user; id is that of the connection.
func (h *Handler) session(user, host string, capabilities, id uint32) sql.Session {
	var base *sql.BaseSession
	globals.NewSession(func() {
		base = sql.NewBaseSessionWithClientServer("", sql.Client{User: user, Address: host, Capabilities: capabilities}, id)
	})
	base.SetLogger(globals.QuietLogger())
	return h.Provider.NewStorageSession(base)
}

// Unconnected returns a context and a Work for an account without a client, to find out which privileges its statements need. Close ends
// the Work. Owned by one goroutine.
func (h *Handler) Unconnected(id accounts.ID) (*sql.Context, *Work) {
	w := newWork(h.Instruments, nil, 1)
	w.Rights = h.rightsOf(id)
	return sql.NewContext(context.Background(), sql.WithSession(h.session(id.User, id.Host, 0, 1)), sql.WithProcessList(h.processList(w))), w
}

// Close gives back the memory that was charged for the work.
func (w *Work) Close() { w.account.Close() }

// ConnectionClosed implements mysql.Handler.
func (h *Handler) ConnectionClosed(c *mysql.Conn) {
	cl := ClientOf(c)
	cl.work.simple.end()
	cl.work.trx.End(false)
	cl.work.Preparations.DropAll()
	cl.work.opened.Close()
	cl.work.locks.Close()
	if cl.Session != nil {
		sql.SessionEnd(cl.Session)
	}
	_ = c.FlushBuffer()
	cl.Wire.Half().Remove(cl.Wire)
	database := ""
	if cl.Session != nil {
		database = cl.Session.GetCurrentDatabase()
	}
	cl.Wire.Ended(cl.Listed.ID, cl.Listed.User(), database)
	cl.Wire.HangUp()
	h.Clients.Remove(&cl.Listed)
	cl.work.used.endConnection()
	cl.work.Close()
	cl.thread.Detach()
	h.leave(cl)
	if cl.counted {
		h.Count.SignOut()
	}
	h.Count.Leave()
}

// ComInitDB implements mysql.Handler.
func (h *Handler) ComInitDB(c *mysql.Conn, name string) (err error) {
	w := ClientOf(c).work
	w.opening = ClientOf(c).Wire.Opening
	defer func() { w.opening = false }()
	err = h.command(context.Background(), c, commandInitDB, name, func(ctx *sql.Context) error {
		if err := h.initDB(ctx, name); err != nil {
			return err
		}
		ClientOf(c).work.Current.Done = true
		return nil
	})
	if w := ClientOf(c).Wire; err != nil && w.Opening {
		w.Fails(tables.HostDefaultDatabase, nil)
	}
	return err
}

// initDB makes a database the session's current one.
func (h *Handler) initDB(ctx *sql.Context, name string) error {
	db, err := h.Engine.Analyzer.Catalog.Database(ctx, name)
	if !access.Visible(ctx, name, "") {
		err = access.ErrSchemaDenied(ctx, name) // whether it exists or not
	}
	if err != nil {
		return err
	}
	ctx.SetCurrentDatabase(db.Name())
	return ctx.Session.UseDatabase(ctx, db)
}

// ComPrepare implements mysql.Handler. It is never called: see prepare.
func (h *Handler) ComPrepare(context.Context, *mysql.Conn, string, *mysql.PrepareData) ([]*querypb.Field, error) {
	return nil, mysqlerr.NoCommand()
}

// ComQuery implements mysql.Handler.
func (h *Handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) error {
	name := commandQuery
	if ClientOf(c).Wire.Command() == wire.ComFieldList {
		name = commandFieldList
	}
	return h.command(ctx, c, name, query, func(ctx *sql.Context) (err error) {
		w := ClientOf(c).work
		s := statement{columns: name != commandQuery}
		if name != commandQuery {
			s.Parsed, s.Query, _, err = h.Engine.Parser.Parse(ctx, query, false)
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
// and returns the others. What is done for one of them does not depend on how long the others are.
func (h *Handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) (rest string, err error) {
	cl := ClientOf(c)
	cl.goesOn = cl.isRest(query)
	defer func() {
		cl.rest, cl.goesOn = rest, false
	}()
	first := parsing.First(h.newContext(ctx, cl, ""), query)
	err = h.command(ctx, c, commandQuery, statements.Trimmed(first), func(ctx *sql.Context) (err error) {
		s := statement{}
		if rest, err = h.parseFirst(ctx, cl.work, first, query, &s); err != nil {
			return err
		}
		err = h.execute(ctx, c, s, send)
		if cl.Wire.Interrupted {
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
func (h *Handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, p *mysql.PrepareData, send func(*sqltypes.Result) error) error {
	return h.command(ctx, c, commandExecute, p.PrepareStmt, func(ctx *sql.Context) error {
		w := ClientOf(c).work
		executed := w.Preparations.ByID(p.StatementID)
		defer w.Preparations.ResetLong(p.StatementID)
		if err := executed.LongError(); err != nil {
			return err
		}
		w.countCommand(w.notePrepared(ctx, executed.Text))
		w.Thread.Execute(executed.PreparedStatement)
		bindings := executed.Uses.StartBindings(len(p.BindVars))
		defer executed.Uses.EndBindings(executed.Markers)
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
		if err := executed.BindLimits(bindings, "mysqld_stmt_execute"); err != nil {
			return err
		}
		w.programs.NoteExecuted(w.Current.tree, nil)
		s := statement{Statement: plancache.Statement{Query: executed.Text, Bindings: bindings}, binary: true}
		h.findPreparedPlan(ctx, w, executed, &s)
		return h.execute(ctx, c, s, func(r *sqltypes.Result, _ bool) error { return send(r) })
	})
}

// ComResetConnection implements mysql.Handler: the session begins anew, except for its current database.
func (h *Handler) ComResetConnection(c *mysql.Conn) error {
	return h.command(context.Background(), c, commandReset, "", func(ctx *sql.Context) error {
		cl := ClientOf(c)
		db := ctx.GetCurrentDatabase()
		cl.endSession()
		h.newSession(c, cl)
		cl.work.diagnostics.Reset()
		cl.work.Rights.Reset()
		cl.Session.SetCurrentDatabase(db)
		cl.work.Current.Done = true
		return nil
	})
}

// endSession releases all that the session of a client holds, and ends the session.
func (c *Client) endSession() {
	c.work.trx.End(false)
	c.work.locks.UnlockAll()
	c.work.Preparations.DropAll()
	c.thread.ClearUserVariables()
	c.thread.ResetStatus()
	sql.SessionEnd(c.Session)
}

// WarningCount implements mysql.Handler.
func (h *Handler) WarningCount(c *mysql.Conn) uint16 {
	if w := ClientOf(c).work; w != nil {
		return uint16(min(w.diagnostics.Raised, math.MaxUint16))
	}
	return 0
}

// ParserOptionsForConnection implements mysql.Handler.
func (h *Handler) ParserOptionsForConnection(c *mysql.Conn) (sqlparser.ParserOptions, error) {
	return sql.LoadSqlMode(h.newContext(context.Background(), ClientOf(c), "")).ParserOptions(), nil
}

// command runs one command of a client by calling do. The command is in the process list and in the table threads while it runs, can be
// killed, and a panic in it becomes an error.
func (h *Handler) command(ctx context.Context, c *mysql.Conn, name, text string, do func(*sql.Context) error) (err error) {
	cl := ClientOf(c)
	cancellable, cancel := context.WithCancelCause(ctx)
	sc := h.newContext(cancellable, cl, text)
	shown := text
	if name != commandExecute { // whose text has been shown by PREPARE, without passwords
		shown = secrets.Hide(text)
	}
	cl.work.begin(sc, name, shown)
	cl.work.Current.hidden = shown != text
	cl.work.cancel = cancel
	cl.Wire.StartCommand()
	began := h.Clients.Begin(&cl.Listed, name, shown, cancel, cl.goesOn)
	cl.thread.SetCommand(name)
	cl.thread.SetInfo(shown)
	h.logBegin(cl, name, shown)
	defer func() {
		if err != nil {
			cause := err
			err = h.guard(text, func() error { return cl.work.noteError(sc, cause) })
		}
		cl.work.Processor.End()
		cl.thread.StartStage(cl.work.Stages.Cleaning)
		cl.thread.SetInfo("")
		cl.thread.SetCommand("Sleep")
		db := sc.GetCurrentDatabase()
		cl.thread.SetDB(db)
		took := h.Clients.End(&cl.Listed, db).Sub(began)
		cl.work.noteDuration(sc, took)
		cl.Wire.EndCommand()
		cancel(nil)
		cl.work.end(sc)
		h.logEnd(cl, name, began, took)
	}()
	return h.guard(text, func() error {
		w := cl.work
		if err := context.Cause(sc); err != nil {
			return err
		}
		if w.Processor != nil {
			if cl.goesOn {
				w.Processor.GoOn()
			}
			if err := w.Processor.Begin(sc, processor.Account(w.Rights.Account), cl.Wire.Admin || w.Rights.Access().HasAny(accounts.Super, accounts.ConnectionAdmin)); err != nil {
				return err
			}
		}
		return do(sc)
	})
}

// guard calls do, and returns a panic in it as an error. The log gets the stack, once for each place that panics.
func (h *Handler) guard(text string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if refused := panics.Refusal(p); refused != nil {
				err = refused
				return
			}
			h.Panicked(p, text)
			err = mysql.NewSQLError(1815, "HY000", "Internal error: %v", p)
		}
	}()
	return do()
}

// Panicked writes to the log that a panic with this value has just been recovered, in the statement text; "" for none.
func (h *Handler) Panicked(value any, text string) {
	if report := h.panics.Report(value, secrets.Hide(text)); report != "" {
		h.Log.Write(errorlog.InternalError, errorlog.Lines(report))
	}
}

// newContext is the context of a statement of a client.
func (h *Handler) newContext(ctx context.Context, cl *Client, query string) *sql.Context {
	if cl.context == nil {
		cl.context = []sql.ContextOption{
			sql.WithPid(uint64(cl.Listed.ID)),
			func(c *sql.Context) { c.Memory = cl.caches.Next() },
			sql.WithProcessList(h.processList(cl.work)),
			sql.WithServices(sql.Services{KillConnection: func(id uint32) error { h.Clients.Stop(id, true); return nil }}),
			sql.WithSession(cl.Session),
		}
		cl.contextSession = cl.Session
	}
	if cl.contextSession != cl.Session {
		cl.context[len(cl.context)-1], cl.contextSession = sql.WithSession(cl.Session), cl.Session
	}
	c := sql.NewContext(ctx, cl.context...)
	sql.WithQuery(query)(c)
	return c
}
