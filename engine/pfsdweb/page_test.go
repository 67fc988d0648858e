package pfsdweb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pfsd/engine"
	"pfsd/instr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A served page, and a browser with a jar of cookies.
type served struct {
	url    string
	page   *Page
	reg    *instr.Registry
	client *http.Client
}

func serve(t *testing.T, o Options) *served {
	t.Helper()
	reg := instr.NewRegistry()
	s, err := engine.New(engine.Options{Addr: "127.0.0.1:0", Registry: reg, Instruments: []string{"wait/%=ON"}, Consumers: map[string]bool{"events_waits_current": true},
		Variables: map[string]string{"connection_control_min_connection_delay": "1000", "connection_control_max_connection_delay": "1000"},
		Init: []string{"CREATE USER dba IDENTIFIED BY 'right'", "GRANT ALL ON *.* TO dba", "CREATE USER nobody IDENTIFIED BY 'right'",
			"CREATE USER sampler IDENTIFIED BY 'right'", "GRANT SELECT ON performance_schema.* TO sampler", "GRANT EXECUTE ON sys.* TO sampler"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	mux := http.NewServeMux()
	p, err := Register(mux, s, o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(mux)
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		h.Close()
		p.Close()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &served{h.URL, p, reg, client}
}

// do sends a request, with the headers of the page if it is a POST, and returns the status and the body.
func (s *served) do(t *testing.T, method, path, body string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Pfsd", "1")
	}
	if change != nil {
		change(r)
	}
	res, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func (s *served) want(t *testing.T, method, path, body string, status int, part string) {
	t.Helper()
	if res, got := s.do(t, method, path, body, nil); res.StatusCode != status || !strings.Contains(got, part) {
		t.Errorf("%s %s %s: %d %s, want %d with %q", method, path, body, res.StatusCode, got, status, part)
	}
}

const dba, nobody = `{"user":"dba","password":"right"}`, `{"user":"nobody","password":"right"}`

// Nobody sees anything without signing in; an account sees what SQL shows it.
func TestPrivileges(t *testing.T) {
	s := serve(t, Options{})
	s.want(t, "GET", "/api/query/waits", "", 401, "sign in first")
	s.want(t, "POST", "/api/login", `{"user":"dba","password":"wrong"}`, 401, "1045")
	s.want(t, "GET", "/api/flame", "", 401, "sign in first")
	s.want(t, "POST", "/api/login", nobody, 200, "nobody")
	for name := range queries {
		if res, body := s.do(t, "GET", "/api/query/"+name, "", nil); res.StatusCode != 422 || !strings.Contains(body, "denied") || strings.Contains(body, "rows") {
			t.Errorf("%s for an account without privileges: %d %s", name, res.StatusCode, body)
		}
	}
	s.want(t, "GET", "/api/flame", "", 422, "denied")
	s.want(t, "GET", "/api/compare", "", 422, "denied")
	s.want(t, "POST", "/api/login", `{"user":"sampler","password":"right"}`, 200, "sampler")
	s.want(t, "GET", "/api/compare", "", 200, `"counted":null`) // it may not read the schema history
	s.want(t, "POST", "/api/login", dba, 200, "dba")
	for name := range queries {
		s.want(t, "GET", "/api/query/"+name, "", 200, `"rows":[`)
	}
	s.want(t, "GET", "/api/query/load", "", 200, `"stretches":[`)
	s.want(t, "GET", "/api/flame", "", 200, "all threads")
	s.want(t, "GET", "/api/compare", "", 200, `"counted":{"columns":["kind","name","object","per_second_before"`)
	s.want(t, "POST", "/api/setting", `{"kind":"consumers","name":"events_waits_current","on":false}`, 403, "read only")
	s.want(t, "POST", "/api/logout", `{}`, 200, "")
	s.want(t, "GET", "/api/query/waits", "", 401, "sign in first")
}

// A page that may write switches consumers and instruments, for those who may.
func TestSettings(t *testing.T) {
	s := serve(t, Options{Write: true, Prefix: "/pfsd/"})
	const off = `{"kind":"consumers","name":"events_waits_current","on":false}`
	s.want(t, "POST", "/pfsd/api/login", nobody, 200, "")
	s.want(t, "POST", "/pfsd/api/setting", off, 422, "denied")
	s.want(t, "POST", "/pfsd/api/login", dba, 200, "")
	s.want(t, "GET", "/pfsd/api/query/consumers", "", 200, `["events_waits_current","YES"]`)
	s.want(t, "POST", "/pfsd/api/setting", off, 200, "")
	s.want(t, "GET", "/pfsd/api/query/consumers", "", 200, `["events_waits_current","NO"]`)
	s.want(t, "POST", "/pfsd/api/setting", `{"kind":"x","name":"y"}`, 400, "")
	s.want(t, "POST", "/pfsd/api/setting", `{"kind":"consumers","name":"' OR 1=1 -- ","on":true}`, 200, "")
	s.want(t, "GET", "/pfsd/api/query/consumers", "", 200, `["events_waits_current","NO"]`)
}

// Requests of other sites, and of names that other sites point here, are refused.
func TestHostileRequests(t *testing.T) {
	s := serve(t, Options{})
	for name, change := range map[string]func(*http.Request){
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"another site":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a form":         func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"no header":      func(r *http.Request) { r.Header.Del("X-Pfsd") },
		"another name":   func(r *http.Request) { r.Host = "evil.example" },
	} {
		if res, body := s.do(t, "POST", "/api/login", dba, change); res.StatusCode != 403 || len(res.Cookies()) > 0 {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
	res, _ := s.do(t, "POST", "/api/login", dba, nil)
	if c := res.Cookies(); len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || len(c[0].Value) != 43 {
		t.Errorf("cookies %v", c)
	}
	s.want(t, "POST", "/api/login", `{"user":"`+strings.Repeat("x", maxBody)+`"}`, 400, "not valid")
	for _, q := range []string{"from=1", "from=5&to=5", "from=-1&to=5", "from=x&to=y", "from=1&to=99999999999999", "from=1&to=2'"} {
		s.want(t, "GET", "/api/query/waits?"+strings.ReplaceAll(q, "'", "%27"), "", 400, "not valid")
		s.want(t, "GET", "/api/flame?"+strings.ReplaceAll(q, "'", "%27"), "", 400, "not valid")
		s.want(t, "GET", "/api/compare?"+strings.ReplaceAll(q, "'", "%27"), "", 400, "not valid")
	}
	s.want(t, "GET", "/api/query/mysql.user", "", 404, "")
	s.want(t, "GET", "/page.go", "", 404, "")
	res, _ = s.do(t, "GET", "/", "", nil)
	if h := res.Header; h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Frame-Options") != "DENY" {
		t.Errorf("headers %v", h)
	}
}

// A session ends with its connection, when it is idle, and when there are too many no more begin.
func TestSessions(t *testing.T) {
	s := serve(t, Options{})
	for range maxSessions {
		s.client.Jar, _ = cookiejar.New(nil)
		s.want(t, "POST", "/api/login", dba, 200, "")
	}
	last := s.client.Jar
	s.client.Jar, _ = cookiejar.New(nil)
	s.want(t, "POST", "/api/login", dba, 503, "too many")
	s.client.Jar = last
	s.page.sessions.mu.Lock()
	for _, one := range s.page.sessions.all {
		one.timer.Reset(0) // as after idleTime
	}
	s.page.sessions.mu.Unlock()
	for deadline := time.Now().Add(time.Minute); ; {
		s.page.sessions.mu.Lock()
		n := len(s.page.sessions.all)
		s.page.sessions.mu.Unlock()
		if n == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions are left", n)
		}
	}
	s.want(t, "GET", "/api/query/waits", "", 401, "sign in first")
	s.want(t, "POST", "/api/login", dba, 200, "")
}

// Sessions of one account keep no other account out: the newcomer gets the place that was used least recently.
func TestSessionsOfOthers(t *testing.T) {
	s := serve(t, Options{})
	first, _ := cookiejar.New(nil)
	for i := range maxSessions {
		if s.client.Jar, _ = cookiejar.New(nil); i == 0 {
			s.client.Jar = first
		}
		s.want(t, "POST", "/api/login", nobody, 200, "")
	}
	last := s.client.Jar
	for range maxSessions / 2 {
		s.client.Jar, _ = cookiejar.New(nil)
		s.want(t, "POST", "/api/login", dba, 200, "dba")
	}
	s.client.Jar, _ = cookiejar.New(nil)
	s.want(t, "POST", "/api/login", dba, 503, "too many")
	s.want(t, "POST", "/api/login", nobody, 503, "too many")
	s.client.Jar = first
	s.want(t, "GET", "/api/session", "", 200, `"user":null`)
	s.client.Jar = last
	s.want(t, "GET", "/api/session", "", 200, `"user":"nobody"`)
}

// The files of the page are below 500 KB, and those from elsewhere are as the script has written them.
func TestAssets(t *testing.T) {
	assets, err := compress()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, a := range assets {
		size += len(a.compressed)
	}
	if size > 500_000 {
		t.Errorf("the page has %d bytes", size)
	}
	t.Logf("the page has %d bytes, compressed", size)
	sums, err := os.ReadFile("assets.sha256")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, name := range []string{"LICENSES.txt", "d3.js", "flamegraph.js", "uplot.css", "uplot.js"} {
		b, err := files.ReadFile("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%x  %s\n", sha256.Sum256(b), name)
	}
	if got.String() != string(sums) {
		t.Errorf("checksums\n%swant\n%s", &got, sums)
	}
	js, _ := files.ReadFile("page/page.js")
	if bytes.Contains(js, []byte("innerHTML")) || bytes.Contains(js, []byte(".html(")) {
		t.Error("page.js makes HTML of text")
	}
}

// The tree of a flame graph has each path once, and each frame is the sum of what is below it.
func TestTree(t *testing.T) {
	text := func(s string) *string { return &s }
	got := tree(&result{Rows: [][]*string{
		{text("a"), text("SELECT ?"), nil, text("lock"), text("x.go:1"), text("2")},
		{text("a"), text("SELECT ?"), nil, text("lock"), text("x.go:2"), text("3")},
	}})
	b, _ := json.Marshal(got)
	const want = `{"name":"all threads","value":5,"children":[{"name":"a","value":5,"children":[{"name":"SELECT ?","value":5,"children":[{"name":"lock","value":5,"children":[{"name":"x.go:1","value":2},{"name":"x.go:2","value":3}]}]}]}]}`
	if string(b) != want {
		t.Errorf("%s\nwant %s", b, want)
	}
}

func FuzzWindow(f *testing.F) {
	f.Add("from=1&to=2")
	f.Add("from=9223372036854775807&to=-9223372036854775808")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		w, err := parseWindow(q, time.Unix(1e9, 0))
		if err != nil {
			return
		}
		if d := w.to.Sub(w.from); d <= 0 || d > longestWindow {
			t.Errorf("%q: %v", text, w)
		}
	})
}
