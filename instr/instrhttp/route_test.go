package instrhttp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"pfsd/instr"
)

// While a handler of the ServeMux runs, the request has the digest of its route; behind another handler the route is not known before the end.
func TestRouteOfARunningRequest(t *testing.T) {
	r := instr.NewRegistry()
	var seen string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(http.ResponseWriter, *http.Request) {
		seen = "no digest"
		for _, e := range instr.Current().CurrentStatements(nil) {
			if e.Digest != nil {
				seen = e.Digest.Text()
			}
		}
	})
	for _, c := range []struct {
		handler http.Handler
		want    string
	}{{mux, "GET /users/{id}"}, {http.HandlerFunc(mux.ServeHTTP), "no digest"}} {
		NewHandler(c.handler, WithRegistry(r)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/users/5", nil))
		if seen != c.want {
			t.Errorf("the handler sees %q, want %q", seen, c.want)
		}
	}
	for _, row := range r.Reader().Digests(instr.DigestFilter{}) {
		if row.Digest.Text() != "GET /users/{id}" || row.Stat.Count != 2 {
			t.Errorf("%s: %+v", row.Digest.Text(), row.Stat)
		}
	}
}
