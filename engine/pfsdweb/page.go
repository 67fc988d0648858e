package pfsdweb

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine"
)

//go:embed page assets
var files embed.FS

// maxBody is the largest body of a request, in bytes.
const maxBody = 4 << 10

// policy forbids everything that is not the page's own. d3 and uPlot set styles by the CSSOM, which
// style-src allows.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Options configures a page. The zero value of each field is its default.
type Options struct {
	// Prefix is the path below which the page is, such as /pfsd/. "" means /.
	Prefix string
	// Write lets the page switch instruments and consumers, for accounts that may do so by SQL.
	Write bool
}

// Page is a registered page. Safe for concurrent use.
type Page struct {
	sessions *sessions
	options  Options
	assets   map[string]asset
}

// An asset is a file of the page, compressed.
type asset struct {
	compressed  []byte
	contentType string
	tag         string
}

// Register puts the page of a server on a mux. The server must listen on TCP. Close the page before
// the server ends. Safe for concurrent use.
func Register(mux *http.ServeMux, s *engine.Server, o Options) (*Page, error) {
	if o.Prefix == "" {
		o.Prefix = "/"
	}
	if !strings.HasPrefix(o.Prefix, "/") || !strings.HasSuffix(o.Prefix, "/") {
		return nil, fmt.Errorf("prefix %q of the page does not begin and end with /", o.Prefix)
	}
	addr, ok := s.Addr().(*net.TCPAddr)
	if !ok {
		return nil, errors.New("the page needs a server that listens on TCP")
	}
	assets, err := compress()
	if err != nil {
		return nil, err
	}
	p := &Page{sessions: newSessions(dialAddress(addr)), options: o, assets: assets}
	mux.Handle(o.Prefix, http.StripPrefix(strings.TrimSuffix(o.Prefix, "/"), p.handler()))
	return p, nil
}

// Close ends all sessions. Requests that come later find nobody signed in.
func (p *Page) Close() { p.sessions.close() }

// dialAddress is where this process reaches its own listener.
func dialAddress(a *net.TCPAddr) string {
	ip, _ := netip.AddrFromSlice(a.IP)
	if ip = ip.Unmap(); !ip.IsValid() || ip.IsUnspecified() {
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.AddrPortFrom(ip.WithZone(a.Zone), uint16(a.Port)).String()
}

// compress reads the files of the page, by the path in its address.
func compress() (map[string]asset, error) {
	assets := map[string]asset{}
	for _, dir := range []string{"page", "assets"} {
		entries, err := fs.ReadDir(files, dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			content, err := files.ReadFile(dir + "/" + e.Name())
			if err != nil {
				return nil, err
			}
			var b bytes.Buffer
			w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
			if err != nil {
				return nil, err
			}
			if _, err := w.Write(content); err != nil {
				return nil, err
			}
			if err := w.Close(); err != nil {
				return nil, err
			}
			kind := map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(e.Name())]
			if kind == "" {
				kind = "text/plain; charset=utf-8"
			}
			name := "/" + e.Name()
			if name == "/index.html" {
				name = "/"
			}
			assets[name] = asset{b.Bytes(), kind, fmt.Sprintf(`"%x"`, sha256.Sum256(content))}
		}
	}
	return assets, nil
}

// handler answers requests whose path begins with /.
func (p *Page) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", p.serveAsset)
	mux.HandleFunc("POST /api/login", p.login)
	mux.HandleFunc("POST /api/logout", p.logout)
	mux.HandleFunc("POST /api/setting", p.setSetting)
	mux.HandleFunc("GET /api/session", p.session)
	mux.HandleFunc("GET /api/flame", p.flame)
	mux.HandleFunc("GET /api/compare", p.compare)
	mux.HandleFunc("GET /api/query/{name}", p.query)
	checked := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !isLocal(r.RemoteAddr) || !isLocal(r.Host) {
			fail(w, http.StatusForbidden, 0, "only this machine may see this page, by the name localhost or a loopback address")
			return
		}
		if r.Method == http.MethodPost && !fromPage(r) {
			fail(w, http.StatusForbidden, 0, "this request is not from the page")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		checked.ServeHTTP(w, r)
	})
}

// fromPage tells whether a POST has what only a script of the page can send: a form of another site can send
// neither the header nor JSON.
func fromPage(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json" && r.Header.Get("X-Pfsd") == "1"
}

// isLocal tells whether a host, with or without a port, is this machine by its loopback address or localhost. So a
// name that another site has pointed at this machine is refused.
func isLocal(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && ip.Unmap().IsLoopback()
}

func (p *Page) serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := p.assets[r.URL.Path]
	if !ok {
		fail(w, http.StatusNotFound, 0, "there is no such file")
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", a.contentType)
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		_, _ = w.Write(a.compressed)
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(a.compressed))
	if err == nil {
		_, _ = io.Copy(w, z)
	}
}

// reply sends a value as JSON.
func reply(w http.ResponseWriter, value any) { send(w, http.StatusOK, value) }

func send(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// fail sends an error. number is MySQL's, or 0.
func fail(w http.ResponseWriter, status int, number uint16, message string) {
	send(w, status, map[string]any{"number": number, "error": message})
}

// failWith sends an error of SQL: MySQL's own as it is, others without their details, which may name
// addresses of this machine.
func failWith(w http.ResponseWriter, status int, err error) {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		fail(w, status, e.Number, e.Message)
		return
	}
	fail(w, http.StatusBadGateway, 0, "the connection to the server has ended, or the query took too long")
}
