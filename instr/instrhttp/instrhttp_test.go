package instrhttp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"pfsd/instr"
	"pfsd/instr/instrhttp"
)

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// recorder is a registry that keeps all statements and stages.
func recorder() *instr.Registry {
	r := instr.NewRegistry()
	for _, c := range []instr.Consumer{
		instr.ConsumerEventsStatementsHistoryLong, instr.ConsumerEventsStagesCurrent, instr.ConsumerEventsStagesHistory,
		instr.ConsumerEventsStagesHistoryLong, instr.ConsumerEventsWaitsCurrent, instr.ConsumerEventsWaitsHistoryLong,
	} {
		r.Setup().SetConsumer(c, true)
	}
	r.Setup().AddPattern("%", instr.PatternOn)
	return r
}

// serve starts a server for the test, and returns its address and a client of it.
func serve(t *testing.T, h http.Handler, start func(*httptest.Server)) (string, *http.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = nil
	start(server)
	t.Cleanup(server.Close)
	return server.URL, server.Client()
}

// fetch sends a request, and reads the response.
func fetch(t *testing.T, c *http.Client, method, url, body string, headers ...string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(r)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(b)
}

// shown is what the tables show of a statement, without its times.
func shown(s instr.StatementEvent) string {
	return fmt.Sprintf("%s | %s | %s | errno %d, %s, errors %d, warnings %d | in %d, out %d", strings.TrimPrefix(s.Class.Name(), "statement/"), s.Digest.Text(), s.SQLText,
		s.Errno, s.Message, s.Counters[instr.Errors], s.Counters[instr.Warnings], s.Counters[instr.RowsExamined], s.Counters[instr.RowsSent])
}

// Each request is a statement: its route, its text, its status and its bytes.
func TestRequestsAreStatements(t *testing.T) {
	reg := recorder()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", r.PathValue("id")) })
	mux.HandleFunc("/files/{path...}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	})
	mux.HandleFunc("/static/", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/fails", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusBadGateway) })
	mux.HandleFunc("/panics", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	address, client := serve(t, instrhttp.NewHandler(mux, instrhttp.WithRegistry(reg)), (*httptest.Server).Start)

	requests := []struct{ method, path, body, want string }{
		{"GET", "/users/7?password=secret", "", "http/GET /users/{id} | GET /users/{id} | GET /users/7 /*traceparent='" + trace + "'*/ | errno 0, , errors 0, warnings 0 | in 0, out 6"},
		{"PUT", "/files/a/b", "content", "http/PUT /files/{path...} | PUT /files/{path...} | PUT /files/a/b /*traceparent='" + trace + "'*/ | errno 0, , errors 0, warnings 0 | in 7, out 1"},
		{"STRANGE", "/files/a", "", "http/_OTHER /files/{path...} | _OTHER /files/{path...} | STRANGE /files/a /*traceparent='" + trace + "'*/ | errno 0, , errors 0, warnings 0 | in 0, out 1"},
		{"GET", "/static/x", "", "http/GET /static/ | GET /static/ | GET /static/x /*traceparent='" + trace + "'*/ | errno 0, , errors 0, warnings 0 | in 0, out 0"},
		{"GET", "/none", "", "http/GET | GET | GET /none /*traceparent='" + trace + "'*/ | errno 0, 404 Not Found, errors 0, warnings 1 | in 0, out 19"},
		{"GET", "/fails", "", "http/GET /fails | GET /fails | GET /fails /*traceparent='" + trace + "'*/ | errno 502, 502 Bad Gateway, errors 1, warnings 0 | in 0, out 3"},
		{"POST", "/panics", "", "http/POST /panics | POST /panics | POST /panics /*traceparent='" + trace + "'*/ | errno 500, the handler panics, errors 1, warnings 0 | in 0, out 0"},
	}
	for _, r := range requests {
		fetch(t, client, r.method, address+r.path, r.body, "traceparent", trace)
	}
	client.CloseIdleConnections()
	var got []string
	for _, s := range waitFor(reg, len(requests)) {
		got = append(got, shown(s))
		if s.TimerWait() == 0 {
			t.Errorf("%s took no time", shown(s))
		}
	}
	for _, r := range requests {
		if !slices.Contains(got, r.want) {
			t.Errorf("%s %s: no statement\n%s\namong\n%s", r.method, r.path, r.want, strings.Join(got, "\n"))
		}
	}
	if len(got) != len(requests) {
		t.Errorf("%d statements of %d requests", len(got), len(requests))
	}
	counts := map[string]uint64{}
	for _, d := range reg.Reader().Digests(instr.DigestFilter{}) {
		counts[d.Digest.Text()] += d.Stat.Count
	}
	for _, route := range []string{"GET /users/{id}", "PUT /files/{path...}", "_OTHER /files/{path...}", "GET /static/", "GET", "GET /fails", "POST /panics"} {
		if counts[route] != 1 {
			t.Errorf("the digest %s counts %d", route, counts[route])
		}
	}
}

// waitFor returns the statements that have ended, as soon as there are n: a client has its response before the handler returns.
func waitFor(reg *instr.Registry, n int) []instr.StatementEvent {
	for {
		if all := reg.Reader().StatementsHistoryLong(); len(all) >= n {
			return all
		}
	}
}

// What a handler waits for, and the requests that it sends, are part of its request.
func TestRequestsHaveParts(t *testing.T) {
	reg := recorder()
	lock := reg.NewMutex("cache/lock")
	other, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "other") }), (*httptest.Server).StartTLS)
	insecure := http.DefaultTransport.(*http.Transport).Clone()
	insecure.TLSClientConfig.InsecureSkipVerify = true
	defer insecure.CloseIdleConnections()
	out := &http.Client{Transport: instrhttp.NewTransport(insecure, instrhttp.WithRegistry(reg))}
	address, client := serve(t, instrhttp.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		lock.Lock()
		lock.Unlock()
		_, answer := fetch(t, out, "GET", other+"/x?secret=1", "")
		io.WriteString(w, answer)
	}), instrhttp.WithRegistry(reg)), (*httptest.Server).Start)
	if status, answer := fetch(t, client, "POST", address+"/", "body"); status != 200 || answer != "other" {
		t.Fatal(status, answer)
	}
	statements := waitFor(reg, 2)
	sent, served := statements[0], statements[1]
	if served.Class.Name() == "statement/http.client/GET" {
		sent, served = served, sent
	}
	if got, want := shown(sent), "http.client/GET | GET "+other+" | GET "+other+"/x | errno 0, , errors 0, warnings 0 | in 5, out 0"; got != want {
		t.Errorf("sent:\n%s, want\n%s", got, want)
	}
	if sent.NestingID != served.ID || sent.NestingType != instr.NestingStatement {
		t.Errorf("the request sent is part of %d, the one served is %d", sent.NestingID, served.ID)
	}
	stages := map[string]uint64{} // what each is part of
	for _, s := range reg.Reader().StagesHistoryLong() {
		stages[strings.TrimPrefix(s.Class.Name(), "stage/")] = s.NestingID
	}
	for name, in := range map[string]uint64{
		"http/running handler": served.ID, "http/reading body": served.ID, "http/writing response": served.ID, "http.client/waiting for a connection": sent.ID,
		"http.client/connecting": sent.ID, "http.client/TLS handshake": sent.ID, "http.client/sending the request": sent.ID,
		"http.client/waiting for the response": sent.ID, "http.client/reading body": served.ID,
	} {
		if got, ok := stages[name]; !ok || got != in {
			t.Errorf("stage %s is part of %d, want %d (there: %v)", name, got, in, ok)
		}
	}
	var waits int
	cursor := reg.Reader().WaitsHistoryLong()
	for buffer := make([]instr.WaitEvent, 64); ; {
		n := cursor.Next(buffer)
		if n == 0 {
			break
		}
		for _, w := range buffer[:n] {
			if w.Class.Name() == "wait/synch/mutex/cache/lock" {
				waits++
			}
		}
	}
	if waits != 1 {
		t.Errorf("%d waits for the lock", waits)
	}
}

// A request without a response is an error with its reason, and so is one that is refused.
func TestRequestsThatFail(t *testing.T) {
	reg := recorder()
	transport := instrhttp.NewTransport(roundTrip(func(r *http.Request) (*http.Response, error) {
		switch r.URL.Path {
		case "/lost":
			return nil, errors.New("connection lost")
		case "/panics":
			panic("transport")
		}
		io.Copy(io.Discard, r.Body)
		return &http.Response{StatusCode: 403, Body: http.NoBody, ContentLength: -1}, nil
	}), instrhttp.WithRegistry(reg), instrhttp.WithRoute(func(r *http.Request) string { return strings.Repeat("long", 100)[:4*len(r.URL.Path)] }))
	send := func(path string, body io.Reader) {
		defer func() { recover() }()
		r, err := http.NewRequest("POST", "http://user:password@example.com"+path, body)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := transport.RoundTrip(r); err == nil {
			response.Body.Close()
		}
	}
	send("/lost", nil)
	send("/panics", nil)
	send("/refused", io.MultiReader(strings.NewReader("12345")))
	var got []string
	for _, s := range reg.Reader().StatementsHistoryLong() {
		got = append(got, strings.ReplaceAll(shown(s), "long", "l"))
	}
	want := []string{
		"http.client/POST lllll | POST lllll | POST http://example.com/lost | errno 2013, connection lost, errors 1, warnings 0 | in 0, out 0",
		"http.client/POST lllllll | POST lllllll | POST http://example.com/panics | errno 0, , errors 0, warnings 0 | in 0, out 0",
		"http.client/POST llllllll | POST llllllll | POST http://example.com/refused | errno 403, 403 Forbidden, errors 1, warnings 0 | in 0, out 5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("statements:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The handler's response writer has exactly the optional interfaces that it has without this package, for each kind
// of server.
func TestWritersKeepTheirInterfaces(t *testing.T) {
	interfaces := func(w http.ResponseWriter) string {
		_, flushes := w.(http.Flusher)
		_, hijacks := w.(http.Hijacker)
		_, pushes := w.(http.Pusher)
		_, copies := w.(io.ReaderFrom)
		_, strings := w.(io.StringWriter)
		controller := http.NewResponseController(w)
		return fmt.Sprint(flushes, hijacks, pushes, copies, strings, errors.Is(controller.EnableFullDuplex(), http.ErrNotSupported))
	}
	var plain string
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, interfaces(w)) })
	outer := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			plain = interfaces(w)
			next.ServeHTTP(w, r)
		})
	}
	watched := outer(instrhttp.NewHandler(inner, instrhttp.WithRegistry(recorder())))
	for name, start := range map[string]func(*httptest.Server){
		"HTTP/1": (*httptest.Server).Start,
		"HTTP/2": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		address, client := serve(t, watched, start)
		if _, got := fetch(t, client, "GET", address, ""); got != plain {
			t.Errorf("%s: %s, want %s", name, got, plain)
		}
	}
	for name, w := range map[string]http.ResponseWriter{
		"recorder": httptest.NewRecorder(),
		"bare":     struct{ http.ResponseWriter }{httptest.NewRecorder()},
		"hijacker": struct {
			http.ResponseWriter
			http.Hijacker
		}{httptest.NewRecorder(), nil},
		"pusher": struct {
			http.ResponseWriter
			http.Pusher
			io.ReaderFrom
		}{httptest.NewRecorder(), nil, nil},
	} {
		var got string
		h := instrhttp.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = interfaces(w) }), instrhttp.WithRegistry(recorder()))
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		want := interfaces(w)
		if _, ok := w.(io.StringWriter); !ok {
			want, got = withoutStrings(want), withoutStrings(got)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// withoutStrings is a result of interfaces without that of WriteString, which httpsnoop adds: it is Write of the same bytes.
func withoutStrings(s string) string {
	f := strings.Fields(s)
	return strings.Join(slices.Delete(f, 4, 5), " ")
}

// Bytes are counted by whichever method they are written; a hijacked connection is not changed.
func TestBytesAreCounted(t *testing.T) {
	reg := recorder()
	mux := http.NewServeMux()
	mux.HandleFunc("/write", func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 1000)) })
	mux.HandleFunc("/string", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 2000)) })
	mux.HandleFunc("/copy", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		io.Copy(w, io.LimitReader(zeros{}, 3000))
	})
	mux.HandleFunc("/flush", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		w.Write(make([]byte, 4000))
	})
	mux.HandleFunc("/hijack", func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		go func() {
			defer conn.Close()
			io.Copy(conn, conn)
		}()
	})
	address, client := serve(t, instrhttp.NewHandler(mux, instrhttp.WithRegistry(reg)), (*httptest.Server).Start)
	client.Transport = instrhttp.NewTransport(client.Transport, instrhttp.WithRegistry(reg))
	want := map[string]uint64{"write": 1000, "string": 2000, "copy": 3000, "flush": 4000}
	for path, n := range want {
		if _, body := fetch(t, client, "GET", address+"/"+path, ""); uint64(len(body)) != n {
			t.Errorf("%s: %d bytes", path, len(body))
		}
	}
	r, err := http.NewRequest("GET", address+"/hijack", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "echo")
	response, err := client.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	stream, ok := response.Body.(io.ReadWriteCloser)
	if !ok {
		t.Fatalf("the body of an upgraded connection is %T", response.Body)
	}
	fmt.Fprintln(stream, "hello")
	if line, err := bufio.NewReader(stream).ReadString('\n'); line != "hello\n" {
		t.Error(line, err)
	}
	stream.Close()
	for _, s := range waitFor(reg, 2*len(want)+2) {
		if route, ok := strings.CutPrefix(s.Class.Name(), "statement/http/GET /"); ok && s.Counters[instr.RowsSent] != want[route] {
			t.Errorf("%s: %d bytes are counted", route, s.Counters[instr.RowsSent])
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Many requests at once, through a proxy, where another goroutine than the handler's reads the body: everything is counted
// exactly once.
func TestManyRequests(t *testing.T) {
	const clients, each = 8, 50
	reg := recorder()
	back, _ := serve(t, instrhttp.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }), instrhttp.WithRegistry(reg)), (*httptest.Server).Start)
	target, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	plain := http.DefaultTransport.(*http.Transport).Clone()
	defer plain.CloseIdleConnections()
	proxy.Transport = instrhttp.NewTransport(plain, instrhttp.WithRegistry(reg))
	front, client := serve(t, instrhttp.NewHandler(proxy, instrhttp.WithRegistry(reg)), (*httptest.Server).Start)
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for i := range each {
				body := strings.Repeat("b", i)
				if status, got := fetch(t, client, "POST", front, body); status != 200 || got != body {
					t.Errorf("status %d, %d bytes", status, len(got))
				}
			}
		})
	}
	all.Wait()
	statements := waitFor(reg, 3*clients*each)
	if len(statements) != 3*clients*each {
		t.Errorf("%d statements", len(statements))
	}
	var in, out uint64
	for _, s := range statements {
		if strings.HasPrefix(s.Class.Name(), "statement/http/") {
			in, out = in+s.Counters[instr.RowsExamined], out+s.Counters[instr.RowsSent]
		}
	}
	if want := uint64(2 * clients * each * (each - 1) / 2); in != want || out != want {
		t.Errorf("%d bytes in, %d out, want %d", in, out, want)
	}
}

// If there is no room for the instrument of a route, the digest still shows the route; without any room, requests are served all
// the same.
func TestRoutesBeyondLimits(t *testing.T) {
	reg := recorder()
	have := len(reg.Reader().FamilyClasses(instr.FamilyStatements))
	reg.Setup().SetLimit(instr.LimitStatementClasses, have+2)
	h := instrhttp.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}), instrhttp.WithRegistry(reg),
		instrhttp.WithRoute(func(r *http.Request) string { return r.URL.Path }))
	reg.NewStatementClass("http/GET")
	for i := range 20 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", fmt.Sprint("/", i), nil))
	}
	digests := map[string]bool{}
	for _, s := range reg.Reader().StatementsHistoryLong() {
		if s.Class.Name() != "statement/http/GET" {
			t.Errorf("instrument %s", s.Class.Name())
		}
		digests[s.Digest.Text()] = true
	}
	if len(digests) != 20 {
		t.Errorf("%d digests", len(digests))
	}
}

// Requests that the filter excludes, or whose instruments are off, are served without being
// recorded.
func TestUnwantedRequests(t *testing.T) {
	reg := recorder()
	served := 0
	h := instrhttp.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { served++ }), instrhttp.WithRegistry(reg),
		instrhttp.WithFilter(func(r *http.Request) bool { return r.URL.Path != "/health" }))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/health", nil))
	reg.Reader().ClassByName("statement/http/request").SetEnabled(false)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	if n := len(reg.Reader().StatementsHistoryLong()); n != 0 || served != 2 {
		t.Errorf("%d statements, %d served", n, served)
	}
	done := make(chan bool)
	go func() {
		reg.Reader().ClassByName("statement/http/request").SetEnabled(true)
		reg.Setup().SetGoroutineThreads(0)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		alone := instr.Current() == nil
		other := instr.NewRegistry().Attach("test/other")
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		alone = alone && instr.Current() == other
		other.Detach()
		done <- alone
	}()
	if !<-done || served != 4 || len(reg.Reader().StatementsHistoryLong()) != 1 {
		t.Errorf("the goroutine is a thread still, or the other registry's has ended; %d served", served)
	}
}

// For any route and any request there is a valid name of an instrument, and a text.
func FuzzNames(f *testing.F) {
	f.Add("GET /users/{id}", trace, "/a/b")
	f.Add("//x//", "00-00000000000000000000000000000000-0000000000000000-00", "*")
	f.Add("a/\xff{$}", trace+"-x", "/'*/")
	reg := recorder()
	f.Fuzz(func(t *testing.T, route, traceparent, path string) {
		h := instrhttp.NewHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), instrhttp.WithRegistry(reg),
			instrhttp.WithRoute(func(*http.Request) string { return route }))
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path = path
		r.Header["Traceparent"] = []string{traceparent}
		reg.Reader().TruncateStatementsHistoryLong()
		h.ServeHTTP(httptest.NewRecorder(), r)
		all := reg.Reader().StatementsHistoryLong()
		if len(all) != 1 {
			t.Fatalf("%d statements", len(all))
		}
		if _, comment, ok := strings.Cut(all[0].SQLText, "/*traceparent="); ok && strings.Count(comment, "*/") != 1 {
			t.Errorf("text %q", all[0].SQLText)
		}
	})
}
