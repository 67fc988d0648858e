package instrhttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"pfsd/instr"
	"pfsd/instr/instrhttp"
)

// A service whose requests are statements: a wrapper around its handler, and one around the transport of its client.
func ExampleNewHandler() {
	reg := instr.NewRegistry()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "user "+r.PathValue("id"))
	})
	handler := instrhttp.NewHandler(mux, instrhttp.WithRegistry(reg))

	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/users/17", nil))
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/users/18?token=secret", nil))
	for _, d := range reg.Reader().Digests(instr.DigestFilter{}) {
		fmt.Println(d.Digest.Text(), d.Stat.Count, "requests,", d.Stat.Counters[instr.RowsSent], "bytes")
	}
	// Output: GET /users/{id} 2 requests, 14 bytes
}
