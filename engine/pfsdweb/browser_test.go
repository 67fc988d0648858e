package pfsdweb

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A headless browser shows each view, with a thread that has locked a lock for which another one waits. It needs
// PFSD_CHROMIUM, the name of the program; it writes pictures into PFSD_PICTURES, a directory.
func TestBrowser(t *testing.T) {
	chromium := os.Getenv("PFSD_CHROMIUM")
	if chromium == "" {
		t.Skip("make web-test sets PFSD_CHROMIUM")
	}
	s := serve(t, Options{})
	lock := s.reg.NewMutex("test/planted")
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{}, 2)
	s.reg.Go("test/holder", func() {
		lock.Lock()
		close(locked)
		<-release
		lock.Unlock()
		done <- struct{}{}
	})
	<-locked
	s.reg.Go("test/waiter", func() {
		lock.Lock()
		lock.Unlock() //nolint:staticcheck // it only waits
		done <- struct{}{}
	})
	t.Cleanup(func() {
		close(release)
		<-done
		<-done
	})
	s.want(t, "POST", "/api/login", dba, 200, "")
	for deadline := time.Now().Add(time.Minute); ; {
		if _, body := s.do(t, "GET", "/api/query/blockers", "", nil); strings.Contains(body, "test/planted") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no sample has the lock")
		}
	}
	// The browser has no cookie, so a proxy adds that of the session.
	at, _ := url.Parse(s.url)
	cookie := s.client.Jar.Cookies(at)[0]
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(at)
		r.Out.AddCookie(cookie)
	}})
	defer proxy.Close()
	for view, wants := range map[string][]string{
		"Load":     {"u-legend", "wait/synch/mutex/test/planted", "browser_test.go:"},
		"Locks":    {"<svg", "test/holder", "test/waiter", "browser_test.go:"},
		"Flames":   {"d3-flame-graph", "wait/synch/mutex/test/planted", "browser_test.go:"},
		"Compare":  {"Statements that changed"},
		"Settings": {"Read only", "events_waits_current"},
	} {
		dom := browse(t, chromium, "--dump-dom", proxy.URL+"/#"+view)
		for _, want := range append(wants, `data-shown="`+view+`"`) {
			if !strings.Contains(dom, want) {
				t.Errorf("%s does not show %s", view, want)
			}
		}
		if dir := os.Getenv("PFSD_PICTURES"); dir != "" {
			browse(t, chromium, "--window-size=1200,800", "--screenshot="+filepath.Join(dir, view+".png"), proxy.URL+"/#"+view)
		}
	}
}

// browse runs the browser and returns what it prints.
func browse(t *testing.T, chromium string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", `exec "$0" "$@"`, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--user-data-dir=" + t.TempDir(), "--virtual-time-budget=5000"}, args...)...)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}
