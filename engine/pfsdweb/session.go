package pfsdweb

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	cookieName   = "pfsd"
	maxSessions  = 16               // at a time, with those that are signing in
	idleTime     = 15 * time.Minute // after which a session ends
	longestTime  = 12 * time.Hour   // after which a session ends even if it is used
	answerTime   = 15 * time.Second // of a query, for the connection
	maxUserName  = 128              // bytes
	maxPassword  = 1024             // bytes
	sessionSetup = "SET time_zone = '+00:00', max_execution_time = 10000"
)

var errFull = errors.New("too many people have signed in")

// sessions are those who have signed in, by the hash of their cookie. Safe for concurrent use.
type sessions struct {
	addr   string
	mu     sync.Mutex
	all    map[[sha256.Size]byte]*session
	taken  int // sessions, and sign-ins that have not ended
	closed bool
}

// A session is one connection of an account. The channel turn holds one value while no query runs.
type session struct {
	user  string
	since time.Time
	db    *sql.DB
	conn  *sql.Conn
	turn  chan struct{}
	timer *time.Timer // ends the session
}

func newSessions(addr string) *sessions {
	return &sessions{addr: addr, all: map[[sha256.Size]byte]*session{}}
}

// take reserves a place. It returns false if there is none.
func (s *sessions) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.taken >= maxSessions {
		return false
	}
	s.taken++
	return true
}

// open signs in and returns the value of the cookie.
func (s *sessions) open(ctx context.Context, user, password string) (string, error) {
	if !s.take() {
		return "", errFull
	}
	one, err := s.connect(ctx, user, password)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.closed {
		one.close()
		err = errFull
	}
	if err != nil {
		s.taken--
		return "", err
	}
	var token [32]byte
	_, _ = rand.Read(token[:]) // never returns an error
	cookie := base64.RawURLEncoding.EncodeToString(token[:])
	id := sha256.Sum256([]byte(cookie))
	one.timer = time.AfterFunc(idleTime, func() { s.end(id) })
	s.all[id] = one
	return cookie, nil
}

func (s *sessions) connect(ctx context.Context, user, password string) (*session, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.Net, c.Addr = user, password, "tcp", s.addr
	c.TLSConfig = "preferred" // for require_secure_transport; the listener is this process's own
	c.Timeout, c.ReadTimeout, c.WriteTimeout = answerTime, answerTime, answerTime
	c.Logger = &mysql.NopLogger{}
	c.ConnectionAttributes = "program_name:pfsdweb"
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err == nil {
		_, err = conn.ExecContext(ctx, sessionSetup)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	one := &session{user: user, since: time.Now(), db: db, conn: conn, turn: make(chan struct{}, 1)}
	one.turn <- struct{}{}
	return one, nil
}

// close ends the connection. A query that runs on it fails.
func (s *session) close() {
	if s.timer != nil {
		s.timer.Stop()
	}
	_ = s.conn.Close()
	_ = s.db.Close()
}

// find returns the session of a cookie, and starts its idle time again; nil if there is none.
func (s *sessions) find(r *http.Request) (*session, [sha256.Size]byte) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return nil, [sha256.Size]byte{}
	}
	id := sha256.Sum256([]byte(cookie.Value))
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[id]
	if one != nil {
		one.timer.Reset(max(0, min(idleTime, longestTime-time.Since(one.since))))
	}
	return one, id
}

// end ends a session, if there still is one.
func (s *sessions) end(id [sha256.Size]byte) {
	s.mu.Lock()
	one := s.all[id]
	if one != nil {
		delete(s.all, id)
		s.taken--
	}
	s.mu.Unlock()
	if one != nil {
		one.close()
	}
}

func (s *sessions) close() {
	s.mu.Lock()
	s.closed = true
	all := s.all
	s.all = map[[sha256.Size]byte]*session{}
	s.taken -= len(all)
	s.mu.Unlock()
	for _, one := range all {
		one.close()
	}
}

func (p *Page) login(w http.ResponseWriter, r *http.Request) {
	var who struct{ User, Password string }
	if err := json.NewDecoder(r.Body).Decode(&who); err != nil || len(who.User) > maxUserName || len(who.Password) > maxPassword {
		fail(w, http.StatusBadRequest, 0, "the sign-in is not valid")
		return
	}
	if _, id := p.sessions.find(r); id != [sha256.Size]byte{} {
		p.sessions.end(id)
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTime)
	defer cancel()
	cookie, err := p.sessions.open(ctx, who.User, who.Password)
	switch {
	case errors.Is(err, errFull):
		fail(w, http.StatusServiceUnavailable, 0, err.Error())
	case err != nil:
		failWith(w, http.StatusUnauthorized, err)
	default:
		http.SetCookie(w, p.cookie(r, cookie, 0))
		reply(w, map[string]any{"user": who.User, "write": p.options.Write})
	}
}

func (p *Page) cookie(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: value, Path: p.options.Prefix, MaxAge: age, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode}
}

func (p *Page) logout(w http.ResponseWriter, r *http.Request) {
	_, id := p.sessions.find(r)
	p.sessions.end(id)
	http.SetCookie(w, p.cookie(r, "", -1))
	reply(w, map[string]any{})
}

func (p *Page) session(w http.ResponseWriter, r *http.Request) {
	one, _ := p.sessions.find(r)
	if one == nil {
		reply(w, map[string]any{"user": nil, "write": p.options.Write})
		return
	}
	reply(w, map[string]any{"user": one.user, "write": p.options.Write})
}

// with calls f with the connection of the session of a request, while no other request uses it. A browser that goes
// away does not end its session, so the context is not the request's.
func (p *Page) with(w http.ResponseWriter, r *http.Request, f func(context.Context, *sql.Conn) (any, error)) {
	one, id := p.sessions.find(r)
	if one == nil {
		fail(w, http.StatusUnauthorized, 0, "sign in first")
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), answerTime)
	defer cancel()
	select {
	case <-one.turn:
		defer func() { one.turn <- struct{}{} }()
	case <-r.Context().Done():
		return
	case <-ctx.Done():
		fail(w, http.StatusServiceUnavailable, 0, "other queries of this session take too long")
		return
	}
	value, err := f(ctx, one.conn)
	if err != nil {
		var e *mysql.MySQLError
		if !errors.As(err, &e) {
			p.sessions.end(id)
		}
		failWith(w, http.StatusUnprocessableEntity, err)
		return
	}
	reply(w, value)
}
