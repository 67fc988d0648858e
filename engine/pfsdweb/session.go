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

	"pfsd/engine/throttle"
)

const (
	cookieName   = "pfsd"
	maxSessions  = 16               // at a time
	idleTime     = 15 * time.Minute // after which a session ends
	longestTime  = 12 * time.Hour   // after which a session ends even if it is used
	answerTime   = 15 * time.Second // of a query, for the connection
	signInTime   = 55 * time.Second // of a sign-in, which waits for its turn here and, after failures, in the server
	maxTurns     = 12               // sign-ins that ask the server at a time, fewer than it delays of a machine
	maxQueued    = 200              // sign-ins that wait for a turn
	maxUserName  = 128              // bytes
	maxPassword  = 1024             // bytes
	sessionSetup = "SET time_zone = '+00:00', max_execution_time = 10000"
)

var (
	errFull = errors.New("too many people have signed in")
	errBusy = errors.New("too many people are signing in")
)

// sessions are those who have signed in, by the hash of their cookie. Safe for concurrent use.
type sessions struct {
	addr   string
	turns  *throttle.Turns // of sign-ins, which take no place until they have succeeded
	mu     sync.Mutex
	all    map[[sha256.Size]byte]*session
	closed bool
}

// A session is one connection of an account. The channel turn holds one value while no query runs.
type session struct {
	user  string
	since time.Time
	used  time.Time // last; guarded by sessions.mu
	db    *sql.DB
	conn  *sql.Conn
	turn  chan struct{}
	timer *time.Timer // ends the session
}

func newSessions(addr string) *sessions {
	return &sessions{addr: addr, turns: throttle.NewTurns(maxTurns, maxQueued), all: map[[sha256.Size]byte]*session{}}
}

// room makes sure that there is a place for a session of a user. If all are taken, it ends the session of another user
// that was used least recently, if that user has at least two more than this one. It reports false if there is no place. The caller holds mu.
func (s *sessions) room(user string) (ended *session, ok bool) {
	if s.closed {
		return nil, false
	}
	if len(s.all) < maxSessions {
		return nil, true
	}
	counts := map[string]int{}
	for _, one := range s.all {
		counts[one.user]++
	}
	var victim [sha256.Size]byte
	for id, one := range s.all {
		if n := counts[one.user]; n >= counts[user]+2 && (ended == nil || n > counts[ended.user] || n == counts[ended.user] && one.used.Before(ended.used)) {
			ended, victim = one, id
		}
	}
	if ended != nil {
		delete(s.all, victim)
	}
	return ended, ended != nil
}

// open signs in and returns the value of the cookie. Only who has signed in learns that there is no place: whether there is one depends on
// the users of the other sessions.
func (s *sessions) open(ctx context.Context, user, password string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	if !s.turns.Take(ctx, user) {
		return "", errBusy
	}
	one, err := s.connect(ctx, user, password)
	s.turns.Give()
	if err != nil {
		return "", err
	}
	var token [32]byte
	_, _ = rand.Read(token[:]) // never returns an error
	cookie := base64.RawURLEncoding.EncodeToString(token[:])
	id := sha256.Sum256([]byte(cookie))
	s.mu.Lock()
	ended, ok := s.room(user)
	if ok {
		one.used = time.Now()
		one.timer = time.AfterFunc(idleTime, func() { s.end(id) })
		s.all[id] = one
	}
	s.mu.Unlock()
	if ended != nil {
		ended.close()
	}
	if !ok {
		one.close()
		return "", errFull
	}
	return cookie, nil
}

func (s *sessions) connect(ctx context.Context, user, password string) (*session, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.Net, c.Addr = user, password, "tcp", s.addr
	c.TLSConfig = "preferred" // for require_secure_transport; the listener is this process's own
	c.Timeout, c.ReadTimeout, c.WriteTimeout = answerTime, signInTime, answerTime
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
		one.used = time.Now()
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
	cookie, err := p.sessions.open(r.Context(), who.User, who.Password)
	switch {
	case errors.Is(err, errFull), errors.Is(err, errBusy):
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
