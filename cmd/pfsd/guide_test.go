package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var rewriteDocs = flag.Bool("rewrite-docs", false, "write the answers in the guides anew")

// guide is the document whose part "Start" says how to begin.
const guide = "../../docs/find-your-slow-lock.md"

// guides are the documents that TestGuides follows, with the titles of their parts; nil means all
// parts.
var guides = []struct {
	path  string
	parts []string
}{{guide, nil}, {"../../docs/requests-and-queries.md", []string{"What did one request wait for?"}}}

// step is one step of a guide: a command, or a statement and its answer.
type step struct {
	line    int
	command string
	sql     string
	columns []string
	rows    [][]string
	from    int // the range of the answer's lines, without its fences
	to      int
}

// part is a part of a guide, from one heading to the next.
type part struct {
	title string
	steps []step
}

// parts reads a guide. Indented lines are commands, and blocks of SQL have statements. The block
// after a block of SQL has the answer of its last statement.
func parts(text string) (all []part) {
	all = []part{{}}
	fenced, block := "", 0
	var sql strings.Builder
	for i, line := range strings.Split(text, "\n") {
		last := &all[len(all)-1]
		title, heading := strings.CutPrefix(line, "## ")
		command, indented := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "```") && fenced == "":
			fenced, block = line, i
		case strings.HasPrefix(line, "```"):
			if n := len(last.steps); fenced == "```" && n > 0 && last.steps[n-1].sql != "" && last.steps[n-1].to == 0 {
				s := &last.steps[n-1]
				s.from, s.to = block+1, i
			}
			fenced = ""
		case fenced == "```sql":
			sql.WriteString(line + "\n")
			if statement, ended := strings.CutSuffix(strings.TrimSpace(sql.String()), ";"); ended {
				last.steps = append(last.steps, step{line: i + 1, sql: statement})
				sql.Reset()
			}
		case fenced == "```" && strings.HasPrefix(line, "|"):
			if n := len(last.steps); n > 0 && last.steps[n-1].sql != "" {
				s := &last.steps[n-1]
				if cells := cellsOf(line); s.columns == nil {
					s.columns = cells
				} else {
					s.rows = append(s.rows, cells)
				}
			}
		case fenced != "":
		case heading:
			all = append(all, part{title: title})
		case indented:
			last.steps = append(last.steps, step{line: i + 1, command: command})
		}
	}
	return all
}

func cellsOf(line string) (cells []string) {
	for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
		cells = append(cells, strings.TrimSpace(c))
	}
	return cells
}

// table returns rows as the client of MySQL shows them.
func table(columns []string, rows [][]string) (lines []string) {
	widths := make([]int, len(columns))
	for _, row := range append([][]string{columns}, rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], len(c))
		}
	}
	rule := "+"
	for _, w := range widths {
		rule += strings.Repeat("-", w+2) + "+"
	}
	show := func(row []string) string {
		line := "|"
		for i, c := range row {
			line += fmt.Sprintf(" %-*s |", widths[i], c)
		}
		return line
	}
	lines = []string{rule, show(columns), rule}
	for _, row := range rows {
		lines = append(lines, show(row))
	}
	return append(lines, rule)
}

var (
	shownTime = regexp.MustCompile(`\d+(\.\d+)? (ps|ns|us|ms|s|min|h)$|^\d\d:\d\d:\d\d\.\d+$`)
	shownLine = regexp.MustCompile(`\.go:\d+`)
)

// masked returns rows without the parts that differ in each run, sorted so that these parts do not
// change the order. Lines of the source are masked only when the answers are written anew.
func masked(rows [][]string) (all []string) {
	for _, row := range rows {
		var cells []string
		for _, c := range row {
			c = shownTime.ReplaceAllString(c, "TIME")
			if *rewriteDocs {
				c = shownLine.ReplaceAllString(c, ".go:LINE")
			}
			cells = append(cells, c)
		}
		all = append(all, strings.Join(cells, " | "))
	}
	slices.Sort(all)
	return all
}

// process is a program that a test has started.
type process struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	log   bytes.Buffer // guarded by mu
	ended chan struct{}
}

// start starts a program, and stops it at the end of the test.
func start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, ended: make(chan struct{})}
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.log.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
		}
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// says waits until the output of the program matches, and returns the first group.
func (p *process) says(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		text := p.log.String()
		p.mu.Unlock()
		if m := re.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		select {
		case <-p.ended:
			t.Fatalf("%s ended:\n%s", p.cmd, text)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the output of %s does not match %s:\n%s", p.cmd, pattern, text)
		}
	}
}

const readyForConnections = `ready for connections.*port: (\d+)`

// follower executes the steps of a part of a guide.
type follower struct {
	t        *testing.T
	path     string
	service  string // the path of the program
	database string // the address of the database
	dir      string
	base     string // the beginning of URLs
	db       *sql.DB
	session  func() // ends the session with the database
	written  []step // steps whose answers are written into the guide
}

// serve starts the service with the arguments of the guide.
func (f *follower) serve(args ...string) {
	built := f.service
	cmd := exec.Command(built, append([]string{"-listen=127.0.0.1:0", "-pfsd=127.0.0.1:0", "-db=root@tcp(" + f.database + ")/", "-dir=" + f.dir}, args...)...)
	cmd.Env = append(os.Environ(), "DBA_PASSWORD=look")
	p := start(f.t, cmd)
	f.base = "http://" + p.says(f.t, `shop listens on (\S+)`)
	db, err := sql.Open("mysql", "dba:look@tcp(127.0.0.1:"+p.says(f.t, readyForConnections)+")/")
	if err != nil {
		f.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	f.t.Cleanup(func() { _ = db.Close() })
	f.db = db
}

var (
	curlCommand    = regexp.MustCompile(`^curl (--parallel --parallel-immediate )?(?:-X (\w+) )?'?http://127.0.0.1:8080(/[^' ]*)'?( &)?$`)
	curlRange      = regexp.MustCompile(`\[(\d+)-(\d+)\]`)
	sessionCommand = regexp.MustCompile(`^mariadb --port=3308 .*--execute="([^"]*)" &$`)
	serviceCommand = regexp.MustCompile(`^DBA_PASSWORD=look go run -tags gms_pure_go ./testdata/shop/watched(.*)$`)
)

// command executes a command of the guide.
func (f *follower) command(s *step) {
	if m := serviceCommand.FindStringSubmatch(s.command); m != nil {
		f.serve(strings.Fields(m[1])...)
		return
	}
	if m := curlCommand.FindStringSubmatch(s.command); m != nil {
		f.curl(s, m[2], m[3], m[1] != "", m[4] != "")
		return
	}
	if m := sessionCommand.FindStringSubmatch(s.command); m != nil {
		f.open(s, strings.Split(m[1], "; "))
		return
	}
	switch {
	case s.command == "kill %mariadb" && f.session != nil:
		f.session()
	case strings.HasPrefix(s.command, server), strings.HasPrefix(s.command, "mariadb --port=3307 "): // the test has already done this
	default:
		f.t.Fatalf("%s:%d: the test does not know %s", f.path, s.line, s.command)
	}
}

// curl sends requests, one after another, or in parallel.
func (f *follower) curl(s *step, method, path string, parallel, background bool) {
	if method == "" {
		method = "GET"
	}
	paths := []string{path}
	if m := curlRange.FindStringSubmatch(path); m != nil {
		paths = nil
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		for n := from; n <= to; n++ {
			paths = append(paths, strings.Replace(path, m[0], strconv.Itoa(n), 1))
		}
	}
	ctx, cancel := context.WithCancel(f.t.Context())
	var sent sync.WaitGroup
	f.t.Cleanup(func() { cancel(); sent.Wait() })
	var all []func()
	for _, path := range paths {
		r, err := http.NewRequestWithContext(ctx, method, f.base+path, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		r.Close = true // curl ends after the request, too
		send := func() {
			response, err := http.DefaultClient.Do(r)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
			if err != nil && !background {
				f.t.Errorf("%s:%d: %v", f.path, s.line, err)
			}
		}
		all = append(all, send)
	}
	if parallel {
		for _, send := range all {
			sent.Go(send)
		}
	} else {
		sent.Go(func() {
			for _, send := range all {
				send()
			}
		})
	}
	if !background {
		sent.Wait()
	}
}

// open opens a session with the database. The last statement keeps running.
func (f *follower) open(s *step, statements []string) {
	db, err := sql.Open("mysql", "root@tcp("+f.database+")/")
	if err != nil {
		f.t.Fatal(err)
	}
	conn, err := db.Conn(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	last := len(statements) - 1
	for _, statement := range statements[:last] {
		if _, err := conn.ExecContext(f.t.Context(), statement); err != nil {
			f.t.Fatalf("%s:%d: %s: %v", f.path, s.line, statement, err)
		}
	}
	ctx, cancel := context.WithCancel(f.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = conn.ExecContext(ctx, statements[last])
	}()
	f.session = sync.OnceFunc(func() {
		cancel()
		<-ended
		_ = conn.Close()
		_ = db.Close()
	})
	f.t.Cleanup(f.session)
}

// ask executes the statement until it has the answer of the guide.
func (f *follower) ask(s *step) {
	want := masked(s.rows)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		columns, rows, err := query(f.t.Context(), f.db, s.sql)
		if err != nil {
			f.t.Fatalf("%s:%d: %v", f.path, s.line, err)
		}
		if s.to == 0 {
			return // the guide shows no answer
		}
		if slices.Equal(masked(rows), want) && (*rewriteDocs || slices.Equal(columns, s.columns)) {
			if s.columns, s.rows = columns, rows; *rewriteDocs {
				f.written = append(f.written, *s)
			}
			return
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("%s:%d: the answer is\n%s\nwant\n%s", f.path, s.line, strings.Join(table(columns, rows), "\n"), strings.Join(table(s.columns, s.rows), "\n"))
		}
	}
}

// query returns the answer of a statement, as text.
func query(ctx context.Context, db *sql.DB, statement string) (columns []string, rows [][]string, err error) {
	r, err := db.QueryContext(ctx, statement)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = r.Close() }()
	if columns, err = r.Columns(); err != nil {
		return nil, nil, err
	}
	for r.Next() {
		values := make([]sql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := r.Scan(to...); err != nil {
			return nil, nil, err
		}
		row := make([]string, len(columns))
		for i, v := range values {
			if row[i] = strings.TrimSpace(v.String); !v.Valid {
				row[i] = "NULL"
			}
		}
		rows = append(rows, row)
	}
	return columns, rows, r.Err()
}

// buildService builds one of the services of testdata.
func buildService(t *testing.T, name string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-tags=gms_pure_go", "-o", to, "./testdata/shop/"+name)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return to
}

// self is the path of a program that is this one, called pfsd.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "pfsd")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// database starts this program as the database of a service, and returns its address.
func database(t *testing.T) string {
	t.Helper()
	tested := self(t)
	return "127.0.0.1:" + start(t, exec.Command(tested, "--port=0")).says(t, readyForConnections)
}

// TestGuides follows the guides: it executes each command, and each statement until it has the
// answer that the guide shows. Times may differ. Lines of the service's source must be those in the
// guide.
func TestGuides(t *testing.T) {
	service, db := buildService(t, "watched"), database(t)
	var begin []step // the steps that come before each part
	for _, g := range guides {
		path := g.path
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		followed := 0
		lines := strings.Split(string(text), "\n")
		var written []step
		for _, p := range parts(string(text)) {
			if p.title == "Start" {
				for _, s := range p.steps {
					if s.sql != "" {
						begin = append(begin, s)
					}
				}
				continue
			}
			if len(p.steps) == 0 || g.parts != nil && !slices.Contains(g.parts, p.title) {
				continue
			}
			followed++
			t.Run(filepath.Base(path)+": "+p.title, func(t *testing.T) {
				f := &follower{t: t, path: path, service: service, database: db, dir: t.TempDir()}
				if serviceCommand.MatchString(p.steps[0].command) {
					f.command(&p.steps[0])
					p.steps = p.steps[1:]
				} else {
					f.serve()
				}
				for _, s := range slices.Concat(begin, p.steps) {
					if s.sql != "" {
						f.ask(&s)
					} else {
						f.command(&s)
					}
				}
				written = append(written, f.written...)
			})
		}
		if followed == 0 {
			t.Errorf("%s has no parts", path)
		}
		for _, s := range slices.Backward(written) {
			lines = slices.Replace(lines, s.from, s.to, table(s.columns, s.rows)...)
		}
		if len(written) > 0 {
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sourceFiles returns the texts of the Go files of a directory, by name.
func sourceFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	files := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	return files
}

// diffSize returns how many lines of b are not in a, and how many of a are not in b, without blank
// lines.
func diffSize(a, b string) (added, removed int) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	same := make([][]int, len(x)+1) // for each pair of lines, the length of the longest common subsequence of the lines from there on
	for i := range same {
		same[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if same[i][j] = max(same[i+1][j], same[i][j+1]); x[i] == y[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	count := func(line string, n *int) {
		if line != "" {
			*n++
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && same[i+1][j] >= same[i][j+1]:
			count(x[i], &removed)
			i++
		default:
			count(y[j], &added)
			j++
		}
	}
	return added, removed
}

// TestServiceGetsPfsdByADiff: the guide says how large the change is that adds pfsd to the service.
// Without it the service needs nothing of this module, and both services have the same answers.
func TestServiceGetsPfsdByADiff(t *testing.T) {
	plain, watched := sourceFiles(t, "../../testdata/shop/plain"), sourceFiles(t, "../../testdata/shop/watched")
	var added, removed, changed int
	for name, text := range plain {
		a, r := diffSize(text, watched[name])
		if added, removed = added+a, removed+r; a+r > 0 {
			changed++
		}
	}
	if len(watched) != len(plain)+1 {
		t.Errorf("%d files, and %d", len(plain), len(watched))
	}
	own, _ := diffSize("", watched["pfsd.go"])
	want := fmt.Sprintf("%d lines in the place of %d, in %d files, and a new file\n`pfsd.go` of %d.", added, removed, changed, own)
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("%s does not say: %s", guide, want)
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{.Module.Path}} {{.ImportPath}}{{end}}", "./testdata/shop/plain")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	module, _, _ := strings.Cut(string(out[strings.LastIndex(strings.TrimSpace(string(out)), "\n")+1:]), " ") // the service is the last line
	for line := range strings.Lines(string(out)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), module+" "); ok && path != module+"/testdata/shop/plain" {
			t.Errorf("the plain service needs %s", path)
		}
	}
	db := database(t)
	var answers [2][]string
	for i, name := range []string{"plain", "watched"} {
		args := []string{"-listen=127.0.0.1:0", "-db=root@tcp(" + db + ")/", "-dir=" + t.TempDir()}
		if name == "watched" {
			args = append(args, "-pfsd=127.0.0.1:0")
		}
		built := buildService(t, name)
		p := start(t, exec.Command(built, args...))
		base := "http://" + p.says(t, `shop listens on (\S+)`)
		for _, request := range []string{"GET /users/1", "GET /users/1", "GET /users/99", "POST /transfers?from=1&to=2&amount=5", "POST /orders?user=1&item=gold", "GET /none", "PUT /offers"} {
			method, path, _ := strings.Cut(request, " ")
			r, err := http.NewRequestWithContext(t.Context(), method, base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			answers[i] = append(answers[i], fmt.Sprintf("%s: %s %s %v", request, response.Status, body, err))
		}
	}
	if !slices.Equal(answers[0], answers[1]) || !strings.Contains(answers[0][0], "Ann") {
		t.Errorf("plain\n%q\nwatched\n%q", answers[0], answers[1])
	}
}
