package engine

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pfsd/engine/config"
	"pfsd/instr"
	"pfsd/tables"
)

// docStatement is a statement in a document, as somebody has typed it.
type docStatement struct {
	line   int
	prompt string // of the client: "" in a block of SQL
	text   string
	answer []string // the lines below it; none: it has not come yet
}

// rows tells whether the document shows rows, and of which columns.
func (s *docStatement) rows() (columns []string, shown bool) {
	if len(s.answer) < 4 || !strings.HasPrefix(s.answer[0], "+-") {
		return nil, false
	}
	for _, name := range strings.Split(strings.Trim(s.answer[1], "|"), "|") {
		columns = append(columns, strings.TrimSpace(name))
	}
	return columns, true
}

var (
	docPrompt  = regexp.MustCompile(`^(?:    )?(\w+)> (.*)$`)
	docClient  = regexp.MustCompile(`--user=(\w+)(?:\s+--password=(\S+))?\s+--prompt='(\w+)> '\s+(\w+)`)
	docServer  = regexp.MustCompile("(?m)^    go run -tags gms_pure_go ./cmd/pfsd (.*)$")
	docError   = regexp.MustCompile(`^ERROR (\d+) \((\w+)\)`)
	docComment = regexp.MustCompile(`(?m)\s*-- .*$`)
)

// docStatements are the statements of a document: those of its blocks of SQL, and those typed at a prompt,
// in their order.
func docStatements(text string) (all []docStatement) {
	block, end, last := "", ";", (*docStatement)(nil)
	begin := func(line int, prompt, text string) *docStatement {
		all = append(all, docStatement{line: line, prompt: prompt, text: text})
		return &all[len(all)-1]
	}
	for i, line := range strings.Split(text, "\n") {
		switch typed := docPrompt.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```") && block == "":
			block, last = line, nil
		case strings.HasPrefix(line, "```"):
			block, last = "", nil
		case block == "```sql":
			line = docComment.ReplaceAllString(line, "")
			if delimiter, ok := strings.CutPrefix(line, "DELIMITER "); ok {
				end = delimiter
				break
			}
			if last == nil && line != "" {
				last = begin(i+1, "", "")
			}
			if last != nil {
				last.text += line + "\n"
				if whole, ok := strings.CutSuffix(strings.TrimSpace(last.text), end); ok {
					last.text, last = whole, nil
				}
			}
		case typed != nil && (block == "```" || strings.HasPrefix(line, "    ")):
			last = begin(i+1, typed[1], typed[2])
		case last == nil || line == "" && len(last.answer) == 0:
		case strings.HasPrefix(line, "    -> ") && len(last.answer) == 0:
			last.text += "\n" + strings.TrimPrefix(line, "    -> ")
		case line == "":
			last = nil
		default:
			last.answer = append(last.answer, line)
		}
	}
	for i := range all {
		all[i].text = strings.TrimSuffix(strings.TrimSpace(all[i].text), ";")
	}
	return all
}

// docs are the documents, by their paths.
func docs(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range append(paths, "../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = string(text)
	}
	return all
}

// docReader is somebody who types what a document says.
type docReader struct {
	t       *testing.T
	server  *running
	path    string
	clients map[string][]string // user, password, database of a prompt
	conns   map[string]*sql.Conn
	replace *strings.Replacer
}

// readDoc is a reader of a document, whose server has the registry.
func readDoc(t *testing.T, path, text string, reg *instr.Registry, o Options) *docReader {
	o.Registry, o.SecureFilePriv, o.Addr = reg, t.TempDir(), ""
	d := &docReader{t: t, path: path, clients: map[string][]string{"": {"root", "", "performance_schema"}}, conns: map[string]*sql.Conn{}}
	d.server = serve(t, o, tables.All()...)
	for _, m := range docClient.FindAllStringSubmatch(text, -1) {
		d.clients[m[3]] = []string{m[1], m[2], m[4]}
	}
	// What takes long, or is for the reader to fill in.
	d.replace = strings.NewReplacer("'<digest>', 10", "'"+strings.Repeat("0", 64)+"', 1", "'/dir/", "'"+o.SecureFilePriv+"/", ".dot', 10", ".dot', 1", "(60, 30,", "(2, 1,")
	return d
}

// conn is the connection of the client with a prompt.
func (d *docReader) conn(s *docStatement) *sql.Conn {
	if c := d.conns[s.prompt]; c != nil {
		return c
	}
	who := d.clients[s.prompt]
	if who == nil {
		d.t.Fatalf("%s:%d: nobody says who has the prompt %s", d.path, s.line, s.prompt)
	}
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s)/%s", who[0], who[1], d.server.addr, who[2]))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn(d.t.Context())
	if err != nil {
		d.t.Fatalf("%s:%d: %v", d.path, s.line, err)
	}
	d.t.Cleanup(func() { _ = c.Close() })
	d.conns[s.prompt] = c
	return c
}

// result runs a statement and reads what it answers: its columns, and how many rows there are.
func (d *docReader) result(ctx context.Context, s *docStatement) (columns []string, n int, err error) {
	rows, err := d.conn(s).QueryContext(ctx, d.replace.Replace(s.text))
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	for {
		if columns == nil {
			columns, _ = rows.Columns()
		}
		for rows.Next() {
			n++
		}
		if !rows.NextResultSet() {
			return columns, n, rows.Err()
		}
	}
}

// types does what the document says, and looks at the answer: the error that there is to be, and the columns
// of rows, of which there has to be one at last.
func (d *docReader) types(s *docStatement) {
	if s.prompt != "" && len(s.answer) == 0 && !strings.HasPrefix(s.text, "UPDATE performance_schema.setup") {
		ctx, cancel := context.WithCancel(d.t.Context())
		d.conn(s)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _, _ = d.result(ctx, s)
		}()
		d.t.Cleanup(func() { cancel(); <-ended })
		return
	}
	var columns []string
	var n int
	var err error
	want, shown := s.rows()
	attempt := func() bool {
		columns, n, err = d.result(d.t.Context(), s)
		return err != nil || n > 0 || !shown
	}
	if attempt(); n == 0 && err == nil && shown {
		eventually(d.t, fmt.Sprintf("%s:%d has rows", d.path, s.line), attempt)
	}
	wrong := ""
	if len(s.answer) > 0 {
		if m := docError.FindStringSubmatch(s.answer[0]); m != nil {
			wrong = m[1] + " " + m[2]
		}
	}
	switch {
	case err != nil && wrong != "" && strings.HasPrefix(code(err), wrong):
	case err != nil || wrong != "":
		d.t.Errorf("%s:%d: %s: %v, want error %q", d.path, s.line, s.text, err, wrong)
	case shown && !slices.Equal(columns, want):
		d.t.Errorf("%s:%d: columns %q, want %q", d.path, s.line, columns, want)
	}
}

// TestDocs does what README.md and docs/*.md say to do, against the server that they say to start, or else one with
// the workload: nothing fails but what does there, and where rows are shown there are some. What reads long
// histories has rows afterwards too, when all threads have ended whose events these are.
func TestDocs(t *testing.T) {
	oneAtATime(t)
	typed := 0
	for path, text := range docs(t) {
		statements := docStatements(text)
		if len(statements) == 0 {
			continue
		}
		typed += len(statements)
		t.Run(filepath.Base(path), func(t *testing.T) {
			args := "--workload=mixed"
			if m := docServer.FindStringSubmatch(text); m != nil {
				args = m[1]
			}
			dir := t.TempDir()
			line, err := config.ParseCommandLine(strings.Fields(strings.Replace(args, "--datadir=/tmp/pfsd", "--datadir="+dir, 1)), nil)
			if err != nil {
				t.Fatal(err)
			}
			reg := instr.NewRegistry()
			line.Options.Init = append(line.Options.Init, patient...)
			if line.Options.DataDir == "" {
				line.Options.DataDir = dir
			}
			t.Run("live", func(t *testing.T) {
				d := readDoc(t, path, text, reg, line.Options)
				for i := range statements {
					d.types(&statements[i])
				}
			})
			if t.Failed() {
				return
			}
			d := readDoc(t, path, text, reg, Options{})
			for i := range statements {
				s := &statements[i]
				if _, shown := s.rows(); shown && strings.Contains(s.text, "_history_long") && !strings.Contains(s.text, "CONNECTION_ID()") {
					if _, n, err := d.result(t.Context(), s); err != nil || n == 0 {
						t.Errorf("%s:%d: %d rows of threads that have ended, %v", path, s.line, n, err)
					}
				}
			}
		})
	}
	if typed < 60 {
		t.Errorf("%d statements", typed)
	}
}
