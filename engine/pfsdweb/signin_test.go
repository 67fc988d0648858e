package pfsdweb

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// wrongNames are the names of loops that guess passwords, by the loop and its attempt.
var wrongNames = map[string]func(i, n int) string{
	"one name":          func(int, int) string { return "mallory" },
	"names that change": func(i, n int) string { return fmt.Sprint("m", i, "a", n) },
	"its own name":      func(int, int) string { return "dba" },
}

// 24 loops that fail to sign in at the page, and as many at the server's port, delay whoever has the right password, and do not keep it out.
func TestWrongSignInsKeepNobodyOut(t *testing.T) {
	s := serve(t, Options{})
	addr := s.page.sessions.addr
	open := func(user, password string) *sql.DB {
		c := mysql.NewConfig()
		c.User, c.Passwd, c.Net, c.Addr, c.Logger = user, password, "tcp", addr, &mysql.NopLogger{}
		connector, err := mysql.NewConnector(c)
		if err != nil {
			t.Fatal(err)
		}
		return sql.OpenDB(connector)
	}
	places := []func(ctx context.Context, user string){
		func(ctx context.Context, user string) {
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/login", strings.NewReader(`{"user":"`+user+`","password":"wrong"}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Pfsd", "1")
			if res, err := s.client.Transport.RoundTrip(r); err == nil {
				_ = res.Body.Close()
			}
		},
		func(ctx context.Context, user string) {
			db := open(user, "wrong")
			_ = db.PingContext(ctx)
			_ = db.Close()
		},
	}
	for names, name := range wrongNames {
		ctx, stop := context.WithCancel(t.Context())
		var loops, right sync.WaitGroup
		var guesses atomic.Int64
		delayed := make(chan struct{})
		for _, guess := range places {
			for i := range 24 {
				loops.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						guess(ctx, name(i, n))
						if guesses.Add(1) == 40 { // more than a host has without delays
							close(delayed)
						}
					}
				})
			}
		}
		<-delayed
		right.Go(func() {
			db := open("dba", "right")
			if err := db.PingContext(ctx); err != nil {
				t.Errorf("%s: at the port: %v", names, err)
			}
			_ = db.Close()
		})
		s.client.Jar, _ = cookiejar.New(nil)
		s.want(t, "POST", "/api/login", dba, 200, "dba")
		right.Wait()
		stop()
		loops.Wait()
	}
}
