package engine

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// TestClients runs the golden files through other clients, which must get what the files say.
func TestClients(t *testing.T) {
	oneAtATime(t)
	if rewriting() {
		t.Skip("TestGolden rewrites the golden files")
	}
	for name, client := range map[string]func(*testing.T) dialer{
		"go-prepared":    func(*testing.T) dialer { return dialGo(true) },
		"mariadb":        dialMariaDB(false),
		"mariadb-socket": dialMariaDB(true),
		"mysql2-query":   dialMySQL2("query"),
		"mysql2-execute": dialMySQL2("execute"),
	} {
		t.Run(name, func(t *testing.T) {
			switch {
			case strings.HasPrefix(name, "mariadb"):
				needClient(t, "mariadb")
			case strings.HasPrefix(name, "mysql2"):
				needClient(t, "mysql2")
			}
			runGoldens(t, client(t), name == "go-prepared" || name == "mysql2-execute")
		})
	}
}

const clientDir = "../testdata/clients"

// process is a client that runs as a program of its own.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start runs a program, whose errors come out between its answers.
func start(t *testing.T, name string, args ...string) *process {
	p := &process{cmd: exec.Command(name, args...)}
	p.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	in, e1 := p.cmd.StdinPipe()
	out, e2 := p.cmd.StdoutPipe()
	p.cmd.Stderr = p.cmd.Stdout
	if err := errors.Join(e1, e2, p.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p
}

// stop ends the program's input and waits for its end.
func (p *process) stop() error {
	_ = p.in.Close()
	_, _ = io.Copy(io.Discard, p.out)
	return p.cmd.Wait()
}

// mariaDB is the command-line client, which is fed statements as a script is.
type mariaDB struct {
	t *testing.T
	*process
}

func dialMariaDB(unix bool) func(*testing.T) dialer {
	return func(*testing.T) dialer {
		return func(t *testing.T, addr, socket, user string) sqlClient {
			host, port, _ := net.SplitHostPort(addr)
			args := []string{"--no-defaults", "--user=" + user, "--xml", "--force", "--unbuffered", "--skip-ssl", "--default-character-set=utf8mb4"}
			if unix {
				args = append(args, "--protocol=SOCKET", "--socket="+socket)
			} else {
				args = append(args, "--protocol=TCP", "--host="+host, "--port="+port)
			}
			return mariaDB{t, start(t, "mariadb", append(args, "performance_schema")...)}
		}
	}
}

func (c mariaDB) close() {
	err := c.stop()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: a statement has failed
		c.t.Errorf("%s: %v", c.cmd, err)
	}
}

// endOfAnswer is what the client says to a command that it does not know, which follows each statement and is cleared.
var endOfAnswer = regexp.MustCompile(`^ERROR at line \d+: Unknown command '\\Q'\.\n$`)

var mariaError = regexp.MustCompile(`(?s)(?:^|\n)ERROR (\d+) \((\w{5})\) at line \d+: (.*)\n$`)

func (c mariaDB) run(q string, args ...any) (a answer, err error) {
	if len(args) > 0 {
		q = executed(q, args)
	}
	end, restore := ";", ""
	if strings.Contains(q, ";") { // as a body of a stored program has
		q, end, restore = "DELIMITER $$\n"+q, " $$", "\nDELIMITER ;"
	}
	if _, err := fmt.Fprintf(c.in, "%s%s%s\n\\Q\\c\n", q, end, restore); err != nil {
		c.t.Fatal(err)
	}
	var out []byte
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatalf("%s: %v\n%s", q, err, out)
		}
		if endOfAnswer.Match(line) {
			break
		}
		out = append(out, line...)
	}
	if m := mariaError.FindSubmatch(out); m != nil {
		number, _ := strconv.ParseUint(string(m[1]), 10, 16)
		e := &mysql.MySQLError{Number: uint16(number), Message: string(m[3])}
		copy(e.SQLState[:], m[2])
		return a, e
	}
	if len(out) == 0 {
		return a, nil
	}
	var result struct {
		Rows []struct {
			Fields []struct {
				Name string `xml:"name,attr"`
				Nil  bool   `xml:"nil,attr"`
				Text string `xml:",chardata"`
			} `xml:"field"`
		} `xml:"row"`
	}
	if err := xml.Unmarshal(out, &result); err != nil {
		c.t.Fatalf("%s: %v\n%s", q, err, out)
	}
	for i, r := range result.Rows {
		var row []*string
		for _, f := range r.Fields {
			if i == 0 {
				a.columns = append(a.columns, f.Name)
			}
			cell := &f.Text
			if f.Nil {
				cell = nil
			}
			row = append(row, cell)
		}
		a.rows = append(a.rows, row)
	}
	return a, nil
}

// executed is a statement with parameters in the SQL of prepared statements, which is what
// the client has for them.
func executed(q string, args []any) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	var names []string
	out := "PREPARE golden FROM " + quote(q) + ";\n"
	for i, a := range args {
		names = append(names, fmt.Sprint("@golden", i))
		v := fmt.Sprint(a)
		if s, ok := a.(string); ok {
			v = quote(s)
		}
		out += fmt.Sprintf("SET %s = %s;\n", names[i], v)
	}
	return out + "EXECUTE golden USING " + strings.Join(names, ", ")
}

// node is a program with connections of npm's mysql2. Safe for concurrent use.
type node struct {
	*process
	mu      sync.Mutex
	replies []chan mysql2Reply // by connection; guarded by mu, as is writing
}

// mysql2Reply is what the program answers.
type mysql2Reply struct {
	ID             int
	Errno          uint16
	State, Message string
	Columns        []string
	Rows           [][]*string
}

// mySQL2 is one connection of mysql2.
type mySQL2 struct {
	t       *testing.T
	node    *node
	id      int
	replies chan mysql2Reply
	method  string
}

// dialMySQL2 starts the program; method is query, which sends text, or execute, which
// prepares.
func dialMySQL2(method string) func(*testing.T) dialer {
	return func(t *testing.T) dialer {
		n := &node{process: start(t, "node", clientDir+"/mysql2.js")}
		read := make(chan struct{})
		go n.read(t, read)
		t.Cleanup(func() {
			_ = n.in.Close()
			<-read
			if err := n.cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
		return func(t *testing.T, addr, _, user string) sqlClient {
			c := mySQL2{t: t, node: n, replies: make(chan mysql2Reply, 1), method: method}
			n.mu.Lock()
			c.id = len(n.replies)
			n.replies = append(n.replies, c.replies)
			n.mu.Unlock()
			if _, err := c.ask("connect", addr, user); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
}

// read hands out the replies.
func (n *node) read(t *testing.T, done chan<- struct{}) {
	defer close(done)
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, r := range n.replies {
			close(r)
		}
	}()
	for {
		line, err := n.out.ReadBytes('\n')
		if err != nil {
			return
		}
		var r mysql2Reply
		if err := json.Unmarshal(line, &r); err != nil {
			t.Errorf("mysql2: %s", line)
			continue
		}
		n.mu.Lock()
		to := n.replies[r.ID]
		n.mu.Unlock()
		to <- r
	}
}

func (c mySQL2) ask(method, text string, args ...any) (mysql2Reply, error) {
	line, err := json.Marshal([]any{c.id, method, text, args})
	if err != nil {
		c.t.Fatal(err)
	}
	c.node.mu.Lock()
	_, err = c.node.in.Write(append(line, '\n'))
	c.node.mu.Unlock()
	if err != nil {
		c.t.Fatal(err)
	}
	r, ok := <-c.replies
	if !ok {
		c.t.Fatalf("%s: the client has ended", text)
	}
	if r.Message != "" {
		e := &mysql.MySQLError{Number: r.Errno, Message: r.Message}
		copy(e.SQLState[:], r.State)
		return r, e
	}
	return r, nil
}

func (c mySQL2) run(q string, args ...any) (answer, error) {
	r, err := c.ask(c.method, q, args...)
	return answer{r.Columns, r.Rows}, err
}

func (c mySQL2) close() { _, _ = c.ask("end", "") }
