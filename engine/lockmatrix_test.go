package engine

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// lockTables are the tables of testdata/locks/matrix.txt and their rows: t with a primary key, a unique key u and a key k; n without a
// primary key; and parents p with children c, whose foreign keys are restrict, no action, cascade and set null, or refer to a unique key.
var lockTables = []struct{ name, definition, rows string }{
	{"t", "id INT PRIMARY KEY, u INT, k INT, v INT, UNIQUE KEY u (u), KEY k (k)", "(10,10,10,10),(20,20,20,20),(30,30,30,30)"},
	{"n", "id INT, k INT, KEY k (k)", "(10,10),(20,20),(30,30)"},
	{"pr", lockParent, lockParents}, {"cr", lockChild("pr", "id", "RESTRICT"), lockChildren},
	{"pn", lockParent, lockParents}, {"cn", lockChild("pn", "id", "NO ACTION"), lockChildren},
	{"pc", lockParent, lockParents}, {"cc", lockChild("pc", "id", "CASCADE"), lockChildren},
	{"ps", lockParent, lockParents}, {"cs", lockChild("ps", "id", "SET NULL"), lockChildren},
	{"pu", lockParent, lockParents}, {"cu", lockChild("pu", "u", "RESTRICT"), lockChildren},
	{"pm", "a INT, b INT, v INT, PRIMARY KEY (a, b)", "(1,1,1),(1,2,2),(2,1,3)"},
	{"cm", "id INT PRIMARY KEY, a INT, b INT, KEY ab (a, b), FOREIGN KEY (a, b) REFERENCES pm (a, b)", "(30,2,1)"},
	{"s", "id INT PRIMARY KEY, pid INT, KEY pid (pid), FOREIGN KEY (pid) REFERENCES s (id)", "(10,NULL),(20,NULL),(30,30)"},
	{"g", "id INT PRIMARY KEY, cid INT, KEY cid (cid), FOREIGN KEY (cid) REFERENCES cc (id)", "(40,NULL)"},
	{"fires", "id INT PRIMARY KEY", "(1)"},
}

// lockObjects are what statements go through to get to the tables.
var lockObjects = []string{
	"CREATE PROCEDURE dr() DELETE FROM pr WHERE id = 10",
	"CREATE FUNCTION fr() RETURNS INT DETERMINISTIC BEGIN DELETE FROM pr WHERE id = 10; RETURN 1; END",
	"CREATE TRIGGER tr BEFORE INSERT ON fires FOR EACH ROW DELETE FROM pr WHERE id = 10",
}

const (
	lockParent   = "id INT PRIMARY KEY, u INT, v INT, UNIQUE KEY u (u)"
	lockParents  = "(10,10,10),(20,20,20),(30,30,30),(40,40,40)"
	lockChildren = "(30,30)"
)

func lockChild(parent, column, action string) string {
	return fmt.Sprintf("id INT PRIMARY KEY, pid INT, KEY pid (pid), FOREIGN KEY (pid) REFERENCES %s (%s) ON DELETE %s ON UPDATE %[3]s", parent, column, action)
}

// lockCase is one scenario of the matrix.
type lockCase struct {
	line               int
	level, a, b        string
	waits              bool
	commits, rollsBack string // what B gets when A has committed, or rolled back; the same if B does not wait
}

var lockLevels = map[string]string{"RC": "READ COMMITTED", "RR": "REPEATABLE READ", "SR": "SERIALIZABLE"}

// readLockCases reads the matrix.
func readLockCases(t *testing.T) (cases []lockCase) {
	t.Helper()
	f, err := os.Open("testdata/locks/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var c lockCase
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		c.line++
		text := lines.Text()
		first, rest, _ := strings.Cut(text, " ")
		switch {
		case text == "" || first[0] == '#':
		case first == "A":
			c.a = rest
		case first == "B":
			c.b = rest
		default:
			var levels []string
			for lockLevels[first] != "" {
				levels = append(levels, first)
				text = rest
				first, rest, _ = strings.Cut(text, " ")
			}
			if levels == nil {
				t.Fatalf("line %d: %s", c.line, text)
			}
			c.waits = first == "waits"
			if c.waits {
				text = rest
			}
			commits, rollsBack, either := strings.Cut(text, " | ")
			if c.commits, c.rollsBack = commits, rollsBack; !either {
				c.rollsBack = commits
			}
			for _, level := range levels {
				c.level = level
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// lockPair are two sessions, and one that looks whether a session waits.
type lockPair struct {
	a, b, looks *sql.Conn
	level       string                         // of A and B
	waits       func(ctx context.Context) bool // whether B waits for a lock
}

// lockAnswer runs statements, and returns what the last one gets, as the matrix has it.
func lockAnswer(ctx context.Context, c *sql.Conn, all string) string {
	answer := ""
	for q := range strings.SplitSeq(all, "; ") {
		if !strings.HasPrefix(q, "SELECT") {
			result, err := c.ExecContext(ctx, q)
			if err != nil {
				return lockError(err)
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err.Error()
			}
			answer = fmt.Sprint("ok ", n)
			continue
		}
		rows, err := c.QueryContext(ctx, q)
		if err != nil {
			return lockError(err)
		}
		var ids []string
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err.Error()
			}
			ids = append(ids, id)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return lockError(err)
		}
		if answer = strings.Join(ids, ","); answer == "" {
			answer = "-"
		}
	}
	return answer
}

func lockError(err error) string {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprint(e.Number)
	}
	return err.Error()
}

// run plays a scenario, and returns whether B waited and what it got.
func (p *lockPair) run(t *testing.T, c *lockCase, commit bool) (waited bool, got string) {
	t.Helper()
	ctx := t.Context()
	do := func(s *sql.Conn, all ...string) {
		for _, q := range all {
			if answer := lockAnswer(ctx, s, q); len(answer) == 4 && answer[0] != 'o' && answer != "1062" {
				t.Fatalf("line %d: %s: %s", c.line, q, answer)
			}
		}
	}
	if p.level != c.level {
		p.level = c.level
		do(p.a, "SET SESSION TRANSACTION ISOLATION LEVEL "+lockLevels[c.level])
		do(p.b, "SET SESSION TRANSACTION ISOLATION LEVEL "+lockLevels[c.level])
	}
	do(p.a, "BEGIN", c.a)
	do(p.b, "BEGIN")
	answer := make(chan string, 1)
	go func() { answer <- lockAnswer(ctx, p.b, c.b) }()
	deadline := time.Now().Add(2 * time.Minute)
	for !waited && got == "" {
		select {
		case got = <-answer:
		default:
			if waited = p.waits(ctx); !waited && time.Now().After(deadline) {
				t.Fatalf("line %d: %s neither ends nor waits", c.line, c.b)
			}
			time.Sleep(50 * time.Microsecond) // leaves the processor to the server
		}
	}
	if commit {
		do(p.a, "COMMIT")
	} else {
		do(p.a, "ROLLBACK")
	}
	if waited {
		got = <-answer
	}
	do(p.b, "ROLLBACK")
	return waited, got
}

// refill gives the tables that two transactions may have changed their rows again.
func (p *lockPair) refill(t *testing.T, a string) {
	t.Helper()
	for i := range lockTables {
		table := lockTables[len(lockTables)-1-i] // children first
		family := table.name[1:]                 // of a parent and its child
		if strings.Contains(a, " "+table.name+" ") || family != "" && (strings.Contains(a, "p"+family+" ") || strings.Contains(a, "c"+family+" ")) {
			for _, q := range []string{"SET foreign_key_checks = 0", "DELETE FROM " + table.name, "INSERT INTO " + table.name + " VALUES " + table.rows} {
				if _, err := p.looks.ExecContext(t.Context(), q); err != nil {
					t.Fatalf("%s: %v", q, err)
				}
			}
		}
	}
}

// TestLockMatrix plays the scenarios of two sessions in testdata/locks/matrix.txt: who waits for whom, and what comes of it.
func TestLockMatrix(t *testing.T) {
	r := serve(t, Options{})
	p := &lockPair{}
	p.a, _ = r.conn(t)
	p.b, _ = r.conn(t)
	p.looks, _ = r.conn(t)
	p.waits = func(context.Context) bool { return r.tables.Store().LockStats().Current > 0 }
	p.play(t)
}

// TestLockMatrixOfInnoDB holds the matrix against a server that has InnoDB itself: PFSD_INNODB is its address, as root:password@tcp(host:port)/.
// Its database test must be empty, and is dropped.
func TestLockMatrixOfInnoDB(t *testing.T) {
	address := os.Getenv("PFSD_INNODB")
	if address == "" {
		return
	}
	db, err := sql.Open("mysql", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := &lockPair{}
	for _, c := range []**sql.Conn{&p.a, &p.b, &p.looks} {
		if *c, err = db.Conn(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer (*c).Close()
	}
	defer p.looks.ExecContext(context.Background(), "DROP DATABASE test")
	p.waits = func(ctx context.Context) bool { // INNODB_TRX is as it was up to 0.1 s ago
		var kind, name, status string
		err := p.looks.QueryRowContext(ctx, "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &status)
		_, status, _ = strings.Cut(status, "\nLIST OF TRANSACTIONS ")
		return err == nil && strings.Contains(status, "\nLOCK WAIT ")
	}
	p.play(t)
}

func (p *lockPair) play(t *testing.T) {
	ctx := t.Context()
	for _, c := range []*sql.Conn{p.a, p.b, p.looks} {
		if _, err := c.ExecContext(ctx, "USE test"); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range lockTables {
		for _, q := range []string{"CREATE TABLE " + table.name + " (" + table.definition + ")", "INSERT INTO " + table.name + " VALUES " + table.rows} {
			if _, err := p.looks.ExecContext(ctx, q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
	}
	for _, q := range lockObjects {
		if _, err := p.looks.ExecContext(ctx, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	cases, differ := readLockCases(t), 0
	slices.SortStableFunc(cases, func(a, b lockCase) int { return strings.Compare(a.level, b.level) })
	if len(cases) < 100 {
		t.Fatalf("the matrix has %d scenarios", len(cases))
	}
	for i := range cases {
		c := &cases[i]
		for _, commit := range []bool{true, false} {
			want, end := c.commits, "COMMIT"
			if !commit {
				want, end = c.rollsBack, "ROLLBACK"
			}
			if waited, got := p.run(t, c, commit); waited != c.waits || got != want {
				differ++
				t.Errorf("matrix.txt:%d: %s\n  A %s; %s\n  B %s\n  waits %v, gets %s; want %v, %s", c.line, c.level, c.a, end, c.b, waited, got, c.waits, want)
			}
			if commit {
				p.refill(t, c.a)
			}
		}
	}
	t.Logf("%d scenarios, %d differences", len(cases), differ)
}
