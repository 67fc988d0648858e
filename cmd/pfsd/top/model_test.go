package top

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a server that answers each question with rows that a test can predict.
type scripted struct {
	flavour Flavour
	err     error
	note    string
	rows    int
	asked   []string // SQL, and the arguments
	killed  []string
}

func (s *scripted) Server(context.Context) (Server, string, error) {
	note := s.note
	s.note = ""
	return Server{Version: "8.4.8-pfsd", Flavour: s.flavour, Schema: true}, note, s.err
}

func (s *scripted) Ask(_ context.Context, q *Query, args ...any) (*Answer, error) {
	s.asked = append(s.asked, q.SQL+fmt.Sprint(args...))
	a := &Answer{Columns: q.Columns}
	now := time.Now().Unix()
	switch {
	case strings.HasPrefix(q.SQL, "SELECT MIN(h.SAMPLE_ID), MAX(h.SAMPLE_ID) "):
		a.Rows = [][]Value{{{Text: fmt.Sprint(now - 300)}, {Text: fmt.Sprint(now)}}}
		return a, s.err
	case strings.HasPrefix(q.SQL, "SELECT IFNULL(s.sample,"):
		a.Rows = [][]Value{{{Text: fmt.Sprint(now + 1)}, {Text: fmt.Sprint(now + 1)}, {Text: fmt.Sprint(now - 300)}, {Text: "1"}}}
		return a, s.err
	case strings.HasPrefix(q.SQL, "SELECT h.SAMPLE_ID DIV "):
		var size int64
		if _, err := fmt.Sscanf(q.SQL, "SELECT h.SAMPLE_ID DIV %d", &size); err != nil {
			return nil, err
		}
		for point := (now - 300) / size; point <= now/size; point++ {
			first, last := max(point*size, now-300), min(point*size+size-1, now)
			for class, n := range map[string]float64{"wait/synch/mutex": 2.5, "CPU*": 1} {
				row := []Value{{Text: fmt.Sprint(point)}, {Text: class}}
				for _, v := range []any{n * float64(last-first+1), first, last, first, last, now - 300, now - 300, 1} {
					row = append(row, Value{Text: fmt.Sprint(v)})
				}
				a.Rows = append(a.Rows, row)
			}
		}
		return a, s.err
	case q.SQL == loadNow:
		for i := range int64(300) {
			a.Rows = append(a.Rows, []Value{{Text: fmt.Sprint(now - i)}, {Text: "wait/synch/mutex"}, {Text: "2.5"}}, []Value{{Text: fmt.Sprint(now - i)}, {Text: "CPU*"}, {Text: "1"}})
		}
		return a, s.err
	}
	for r := range s.rows {
		row := make([]Value, len(q.Columns))
		for i, c := range q.Columns {
			row[i] = Value{Text: fmt.Sprint(r + 1)}
			if c.Kind == Text {
				row[i].Text = fmt.Sprintf("%s %c 世界 %s", c.Name, 'a'+r%26, strings.Repeat("long ", 12))
			}
		}
		a.Rows = append(a.Rows, row)
	}
	return a, s.err
}

func (s *scripted) Kill(_ context.Context, id uint64, whole bool) error {
	s.killed = append(s.killed, fmt.Sprint(id, whole))
	return s.err
}

// screen is a model that is driven without a terminal.
type screen struct {
	t      *testing.T
	m      *model
	server *scripted
}

func newScreen(t *testing.T, o Options) *screen {
	if o.Interval == 0 {
		o.Interval = time.Second
	}
	s := &screen{t, nil, &scripted{rows: 30}}
	s.m = newModel(t.Context(), s.server, o)
	s.do(s.m.Init())
	return s
}

// do executes a command and gives the model its message. The command after that, which waits for the interval, is not
// executed.
func (s *screen) do(cmd tea.Cmd) {
	if cmd != nil {
		s.m.Update(cmd())
	}
}

// named are the keys that are no characters.
var named = map[string]tea.KeyPressMsg{"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}}

// press presses keys, and executes the commands that they lead to.
func (s *screen) press(keys ...string) {
	for _, k := range keys {
		msg, ok := named[k]
		if !ok {
			msg = tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		}
		_, cmd := s.m.Update(msg)
		s.do(cmd)
	}
}

func (s *screen) text() string { return s.m.View().Content }

// shows fails if the screen does not contain the texts.
func (s *screen) shows(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if !strings.Contains(s.text(), text) {
			s.t.Errorf("the screen does not show %q:\n%s", text, s.text())
		}
	}
}

// Every view, page and question fits the screen, whatever its size.
func TestSizes(t *testing.T) {
	for _, colours := range []bool{true, false} {
		s := newScreen(t, Options{Address: "127.0.0.1:3306", Colours: colours})
		for _, size := range [][2]int{{20, 5}, {80, 24}, {200, 60}, {20, 60}, {200, 5}, {1, 1}, {2, 2}, {7, 12}, {8, 13}, {0, 0}, {37, 11}} {
			s.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for _, v := range Views {
				for _, keys := range [][]string{{v.Key}, {"end"}, {"enter"}, {"pgdown", "end"}, {"esc"}, {"?"}, {"esc"}, {"/"}, {"x", "enter"}, {"esc"}, {"k"}, {"n"}, {"left"}, {"n"}} {
					s.press(keys...)
					lines := strings.Split(s.text(), "\n")
					if len(lines) > max(1, size[1]) {
						t.Fatalf("%v, view %s, %v: %d lines", size, v.Name, keys, len(lines))
					}
					for _, line := range lines {
						if w := ansi.StringWidth(line); w > max(1, size[0]) {
							t.Fatalf("%v, view %s, %v: a line has %d cells: %q", size, v.Name, keys, w, line)
						}
					}
					if !colours && strings.Contains(s.text(), "\x1b") {
						t.Fatalf("%v, view %s, %v: escape codes without colours: %q", size, v.Name, keys, s.text())
					}
				}
			}
		}
		if colours && !strings.Contains(s.text(), "\x1b[") {
			t.Error("there are no colours")
		}
	}
}

func TestLoadIsStacked(t *testing.T) {
	s := newScreen(t, Options{View: "load"})
	s.shows("[1 load]", "M mutex 2.", "MMMMMMMM", "CCCCCCCC")
	m, c := strings.Index(s.text(), "CCCC"), strings.LastIndex(s.text(), "MMMM")
	if m > c {
		t.Errorf("the larger share is not below:\n%s", s.text())
	}
}

func TestSortFilterAndChoose(t *testing.T) {
	s := newScreen(t, Options{View: "digests"})
	column := func(i int) (texts []string) {
		for _, row := range s.m.rows() {
			texts = append(texts, row[i].Text)
		}
		return texts
	}
	s.press(">", ">")
	if got := column(1)[:3]; !slices.Equal(got, []string{"30", "29", "28"}) {
		t.Errorf("the largest counts are %v", got)
	}
	s.shows("countv")
	s.press("r")
	if got := column(1)[:3]; !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("the smallest counts are %v", got)
	}
	s.press("o", "/", "b", "space", "世", "x", "backspace", "enter")
	if got := column(1); !slices.Equal(got, []string{"2", "28"}) {
		t.Errorf("the filter keeps %v of %q", got, s.m.filter)
	}
	s.shows("(1 of 2)", "with b 世")
	s.press("down", "down", "down")
	s.shows("(2 of 2)")
	s.press("esc")
	s.shows("of 30)")
	s.press("end")
	s.shows("(30 of 30)")
	s.press("/", "Q", "Q", "enter")
	s.shows("no row contains QQ")
}

// While it is paused, time does not lead to questions.
func TestPause(t *testing.T) {
	s := newScreen(t, Options{})
	ask := func() int {
		before := len(s.server.asked)
		if _, cmd := s.m.Update(tick{s.m.number}); cmd != nil && !s.m.paused {
			s.do(cmd)
		}
		return len(s.server.asked) - before
	}
	if n := ask(); n != 4 { // three for the load
		t.Errorf("a refresh asks %d questions", n)
	}
	s.press("space")
	s.shows("PAUSED")
	if n := ask(); n != 0 {
		t.Errorf("it asks %d questions while it is paused", n)
	}
	s.press("space")
	if n := ask(); n != 4 || s.m.paused {
		t.Errorf("after the pause a refresh asks %d questions", n)
	}
	if _, cmd := s.m.Update(tick{s.m.number - 1}); cmd != nil {
		t.Error("the time of an earlier refresh leads to another one")
	}
	s.press("+", "+", "+")
	s.shows("every 500ms")
	s.press("-", "-", "-", "-")
	s.shows("every 5s")
}

func TestDrill(t *testing.T) {
	s := newScreen(t, Options{View: "statements"})
	s.press("down", "enter")
	s.shows("thread: 2")
	s.press("end")
	s.shows("source a 世界")
	s.press("home", "enter")
	s.shows("thread: 2")
	if got := s.server.asked[len(s.server.asked)-1]; got != waits.Queries.PFSD.SQL+"2222" {
		t.Errorf("the question about waits is %s", got)
	}
	s.press("esc")
	s.shows("[2 statements]")
}

func TestKillAsks(t *testing.T) {
	s := newScreen(t, Options{View: "statements"})
	s.press("down", "k")
	s.shows("kill the statement of connection 2 (y), the connection (c), or nothing (n)?")
	s.press("n")
	s.shows("nothing killed")
	s.press("k", "enter", "k", "q", "k", "esc")
	if s.server.killed != nil {
		t.Fatalf("it killed %v", s.server.killed)
	}
	s.press("k", "y")
	s.shows("killed the statement of connection 2")
	s.press("k", "c")
	s.shows("killed connection 2")
	if !slices.Equal(s.server.killed, []string{"2 false", "2 true"}) {
		t.Errorf("it killed %v", s.server.killed)
	}
	s.press("5", "k")
	s.shows("there is no connection to kill")
	s.press("2")
	s.server.err = errors.New("no \x1b[31mright")
	s.press("k", "y")
	s.shows("not killed", "no [31mright")
}

// Keys lead to earlier periods and back to now.
func TestPeriods(t *testing.T) {
	s := newScreen(t, Options{View: "statements"})
	now := s.m.data.window
	s.press("left")
	if w := s.m.data.window; Views[s.m.view].Name != "load" || !w.To.Equal(now.From) || w.To.Sub(w.From) != liveWindow {
		t.Errorf("view %s of %v, before %v", Views[s.m.view].Name, w, now)
	}
	s.press("left", "right")
	if w := s.m.window; !w.To.Equal(now.From) {
		t.Errorf("back at %v", w)
	}
	s.press("b")
	args := s.m.window.args()
	if got := s.server.asked[len(s.server.asked)-1]; got != blockers.SQL+fmt.Sprint(args...) {
		t.Errorf("the question about blockers is %s", got)
	}
	s.press("right", "right")
	if s.m.window != (Window{}) {
		t.Errorf("now is %v", s.m.window)
	}
	s.server.flavour = MySQL
	s.press("2", "left")
	s.shows("does not remember")
}

// A server that is away is said to be, and the rows stay until it is back.
func TestServerGoesAndReturns(t *testing.T) {
	s := newScreen(t, Options{View: "digests"})
	s.server.err = &ConnectionError{errors.New("refused")}
	s.do(s.m.refresh())
	s.shows("no connection: refused: trying again", "db a 世界")
	s.server.err, s.server.note = nil, "the server has restarted; connected again"
	s.do(s.m.refresh())
	s.shows("the server has restarted; connected again")
}

// A server that does not remember its load has that of the refreshes, and only views that it can answer.
func TestPlainServer(t *testing.T) {
	s := newScreen(t, Options{View: "load"})
	s.server.flavour, s.m.loads = MariaDB, load{step: 1, points: map[int64]map[string]float64{}}
	s.do(s.m.refresh())
	s.shows("M mutex ", "CCCC")
	if strings.Contains(s.text(), "blockers") {
		t.Errorf("there is a view that it cannot answer:\n%s", s.text())
	}
	for range Views {
		s.press("tab")
		if v := Views[s.m.view]; v.Queries.MariaDB == nil && v.Name != "load" {
			t.Errorf("tab leads to %s", v.Name)
		}
	}
}

func TestQuit(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c"}, {"/", "ctrl+c"}, {"?", "q"}, {"k", "ctrl+c"}} {
		s := newScreen(t, Options{})
		s.press(keys[:len(keys)-1]...)
		msg, ok := named[keys[len(keys)-1]]
		if !ok {
			msg = tea.KeyPressMsg{Code: 'q', Text: "q"}
		}
		_, cmd := s.m.Update(msg)
		if cmd == nil {
			t.Errorf("%v does not quit", keys)
		} else if _, quits := cmd().(tea.QuitMsg); !quits {
			t.Errorf("%v does not quit", keys)
		}
	}
}

// Each view and section has columns for what its rows are used for, and each key leads to one thing.
func TestViews(t *testing.T) {
	seen := map[string]string{}
	for _, b := range helpKeys() {
		for _, k := range b.Keys() {
			seen[k] = b.Help().Desc
		}
	}
	for _, v := range Views {
		if other, taken := seen[v.Key]; taken {
			t.Errorf("key %s of view %s is that of %s", v.Key, v.Name, other)
		}
		seen[v.Key] = v.Name
		for _, q := range []*Query{v.Queries.PFSD, v.Queries.MySQL, v.Queries.MariaDB} {
			if q == nil {
				continue
			}
			if v.Connection != "" && columnNamed(q.Columns, v.Connection) < 0 {
				t.Errorf("view %s has no column %s", v.Name, v.Connection)
			}
			if !strings.Contains(q.SQL, "LIMIT ") {
				t.Errorf("view %s has no limit", v.Name)
			}
		}
		for _, s := range v.Drill {
			for _, c := range s.Row {
				if columnNamed(v.Queries.PFSD.Columns, c) < 0 {
					t.Errorf("section %q of view %s needs a column %s", s.Title, v.Name, c)
				}
			}
		}
	}
}
