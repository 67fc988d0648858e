package top

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
)

// Options say what is shown at first.
type Options struct {
	Address  string        // of the server, for the title
	Interval time.Duration // between refreshes, 0.5 to 5 s
	View     string        // the name of a view
	Window   Window        // the period of views that have one; the zero Window is the time before now
	Colours  bool
	Count    int // how many times Batch prints; 0 is until the context ends
}

// The limits of Options.Interval.
const (
	ShortestInterval = 500 * time.Millisecond
	LongestInterval  = 5 * time.Second
)

// liveWindow is the length of the period before now that views with a period show.
const liveWindow = 5 * time.Minute

var intervals = []time.Duration{ShortestInterval, time.Second, 2 * time.Second, LongestInterval}

// keys are the keys, in the order of the help.
var keys = struct {
	up, down, pageUp, pageDown, first, last, enter, back, next, previous, sortLeft, sortRight, reverse, unsorted,
	filter, pause, faster, slower, earlier, later, live, kill, help, quit key.Binding
}{
	up:        key.NewBinding(key.WithKeys("up"), key.WithHelp("up, down", "choose a row")),
	down:      key.NewBinding(key.WithKeys("down")),
	pageUp:    key.NewBinding(key.WithKeys("pgup"), key.WithHelp("pgup, pgdn, home, end", "choose a row further away")),
	pageDown:  key.NewBinding(key.WithKeys("pgdown")),
	first:     key.NewBinding(key.WithKeys("home", "g")),
	last:      key.NewBinding(key.WithKeys("end", "G")),
	enter:     key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "all of the row, its stages and waits, with their source lines; again: ask anew")),
	back:      key.NewBinding(key.WithKeys("esc", "backspace"), key.WithHelp("esc", "back; without a page: no filter")),
	next:      key.NewBinding(key.WithKeys("tab"), key.WithHelp("tab, shift+tab", "next view, previous view")),
	previous:  key.NewBinding(key.WithKeys("shift+tab")),
	sortLeft:  key.NewBinding(key.WithKeys("<"), key.WithHelp("<, >", "sort by the column at the left, at the right")),
	sortRight: key.NewBinding(key.WithKeys(">")),
	reverse:   key.NewBinding(key.WithKeys("r"), key.WithHelp("r", "sort the other way round")),
	unsorted:  key.NewBinding(key.WithKeys("o"), key.WithHelp("o", "the order of the view")),
	filter:    key.NewBinding(key.WithKeys("/"), key.WithHelp("/", "only rows that contain a text")),
	pause:     key.NewBinding(key.WithKeys("space"), key.WithHelp("space", "pause, and go on")),
	faster:    key.NewBinding(key.WithKeys("+"), key.WithHelp("+, -", "refresh more often, less often: 0.5, 1, 2, 5 s")),
	slower:    key.NewBinding(key.WithKeys("-")),
	earlier:   key.NewBinding(key.WithKeys("left"), key.WithHelp("left, right", "an earlier period, a later one: load, top-statements, blockers")),
	later:     key.NewBinding(key.WithKeys("right")),
	live:      key.NewBinding(key.WithKeys("n"), key.WithHelp("n", "now")),
	kill:      key.NewBinding(key.WithKeys("k"), key.WithHelp("k", "kill the statement or the connection of the row, after a question")),
	help:      key.NewBinding(key.WithKeys("?"), key.WithHelp("?", "this help")),
	quit:      key.NewBinding(key.WithKeys("q", "ctrl+c"), key.WithHelp("q", "quit")),
}

func helpKeys() []key.Binding {
	return []key.Binding{keys.up, keys.pageUp, keys.enter, keys.back, keys.next, keys.sortLeft, keys.reverse, keys.unsorted,
		keys.filter, keys.pause, keys.faster, keys.earlier, keys.live, keys.kill, keys.help, keys.quit}
}

// A model is the state of the screen. Owned by bubbletea's goroutine.
type model struct {
	ctx    context.Context
	source asker
	brush  brush
	title  string

	width, height int
	interval      time.Duration
	paused        bool
	number        int  // of the last refresh
	asking        bool // a refresh is on its way

	view     int // in Views
	window   Window
	orders   map[string]order // by the name of the view
	filter   string
	editing  bool
	row, top int // the chosen row, and the first one on the screen

	data   fresh // the last one without an error
	loads  load  // of a server that does not remember
	reply  error // of the last refresh
	note   string
	killed string // what a KILL has brought

	page   *viewport.Model // a page over the table: help or a detail
	detail *detail         // what the page shows; nil is the help

	question uint64 // the connection that k asks about; 0 is none
}

// tick is the message that it is time for a refresh.
type tick struct{ number int }

// killed is the message that a KILL was sent.
type killed struct {
	what string
	err  error
}

func newModel(ctx context.Context, source asker, o Options) *model {
	m := &model{ctx: ctx, source: source, brush: brush{o.Colours}, title: Clean(o.Address), interval: o.Interval, window: o.Window, orders: map[string]order{},
		width: 80, height: 24, loads: load{step: 1, points: map[int64]map[string]float64{}}}
	m.view = max(0, slices.IndexFunc(Views, func(v View) bool { return v.Name == o.View }))
	return m
}

// Init asks for the first refresh.
func (m *model) Init() tea.Cmd { return m.refresh() }

// refresh asks for a refresh, and makes those that are on their way too late.
func (m *model) refresh() tea.Cmd {
	m.number++
	m.asking = true
	r := request{number: m.number, view: Views[m.view], window: m.window, length: liveWindow, columns: max(10, m.width-axis)}
	return func() tea.Msg { return collect(m.ctx, m.source, r) }
}

// later asks for a refresh when the interval is over.
func (m *model) later() tea.Cmd {
	number := m.number
	return tea.Tick(m.interval, func(time.Time) tea.Msg { return tick{number} })
}

// Update handles a message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(1, msg.Width), max(1, msg.Height)
		m.draw()
	case fresh:
		if msg.number == m.number {
			m.take(msg)
			return m, m.later()
		}
	case tick:
		if msg.number != m.number || m.asking {
			return m, nil
		}
		if m.paused {
			return m, m.later()
		}
		return m, m.refresh()
	case detail:
		if m.page != nil && m.detail != nil {
			m.detail = &msg
			m.draw()
		}
	case killed:
		m.killed = msg.what
		if msg.err != nil {
			m.killed = "not " + msg.what + ": " + Clean(msg.err.Error())
		}
	case tea.PasteMsg:
		if m.editing {
			m.filter = cutBytes(m.filter+Clean(msg.Content), maxFilter)
		}
	case tea.KeyPressMsg:
		return m, m.press(msg)
	}
	return m, nil
}

const maxFilter = 200 // bytes

// take takes over what a refresh brought.
func (m *model) take(f fresh) {
	m.asking = false
	m.reply = f.err
	if f.note != "" {
		m.note = f.note + " at " + time.Now().Format("15:04:05")
	}
	if f.err != nil {
		return
	}
	if f.server.Flavour != PFSD {
		m.remember(f.load)
	}
	m.data = f
	m.choose(m.row)
}

// remember adds a moment to the load of a server that does not remember it itself.
func (m *model) remember(l load) {
	last, before := int64(0), int64(0)
	for at := range m.loads.points {
		before = max(before, at)
	}
	for at := range l.points {
		last = max(last, at)
	}
	if last == 0 {
		return
	}
	// The moment stands for the time since the last refresh.
	for at := max(before+1, last-2*int64(LongestInterval/time.Second)); at <= last; at++ {
		m.loads.points[at] = l.points[last]
	}
	m.loads.forget(last - int64(liveWindow/time.Second))
}

// rows are the rows of the table as it is shown.
func (m *model) rows() [][]Value {
	if m.data.answer == nil || m.data.view.Name != Views[m.view].Name {
		return nil
	}
	return filtered(m.data.answer.Columns, sorted(m.data.answer, m.order()), m.filter)
}

func (m *model) order() order {
	if o, ok := m.orders[Views[m.view].Name]; ok {
		return o
	}
	return order{column: -1}
}

// choose chooses a row, the nearest one there is.
func (m *model) choose(row int) { m.row = max(0, min(row, len(m.rows())-1)) }

// press handles a key.
func (m *model) press(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case k.String() == "ctrl+c":
		return tea.Quit
	case m.question != 0:
		return m.answerQuestion(k)
	case m.editing:
		m.edit(k)
		return nil
	case key.Matches(k, keys.quit):
		return tea.Quit
	case m.page != nil:
		return m.pressOnPage(k)
	}
	m.killed, m.note = "", ""
	rows := max(1, m.tableHeight())
	switch {
	case key.Matches(k, keys.up):
		m.choose(m.row - 1)
	case key.Matches(k, keys.down):
		m.choose(m.row + 1)
	case key.Matches(k, keys.pageUp):
		m.choose(m.row - rows)
	case key.Matches(k, keys.pageDown):
		m.choose(m.row + rows)
	case key.Matches(k, keys.first):
		m.choose(0)
	case key.Matches(k, keys.last):
		m.choose(maxRows)
	case key.Matches(k, keys.back):
		m.filter = ""
	case key.Matches(k, keys.filter):
		m.editing = true
	case key.Matches(k, keys.pause):
		if m.paused = !m.paused; !m.paused {
			return m.refresh()
		}
	case key.Matches(k, keys.help):
		m.detail = nil
		m.open()
	case key.Matches(k, keys.enter):
		return m.drill()
	case key.Matches(k, keys.kill):
		m.askToKill()
	case key.Matches(k, keys.sortLeft), key.Matches(k, keys.sortRight), key.Matches(k, keys.reverse), key.Matches(k, keys.unsorted):
		m.sort(k)
	default:
		return m.pressForOther(k)
	}
	return nil
}

// pressForOther handles a key that leads to another view, period or interval.
func (m *model) pressForOther(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(k, keys.next):
		return m.goTo(m.step(1))
	case key.Matches(k, keys.previous):
		return m.goTo(m.step(-1))
	case key.Matches(k, keys.faster):
		return m.pace(-1)
	case key.Matches(k, keys.slower):
		return m.pace(1)
	case key.Matches(k, keys.earlier):
		return m.move(-1)
	case key.Matches(k, keys.later):
		return m.move(1)
	case key.Matches(k, keys.live):
		m.window = Window{}
		return m.refresh()
	}
	for i, v := range Views {
		if k.String() == v.Key && m.has(v) {
			return m.goTo(i)
		}
	}
	return nil
}

// has reports whether the server has an answer to a view.
func (m *model) has(v View) bool {
	return v.Queries.of(m.data.server.Flavour) != nil || v.Name == "load"
}

// step returns the next view that there is, in one direction.
func (m *model) step(by int) int {
	for i := m.view + by; ; i += by {
		i = (i + len(Views)) % len(Views)
		if m.has(Views[i]) {
			return i
		}
	}
}

// goTo shows another view.
func (m *model) goTo(view int) tea.Cmd {
	m.view, m.row, m.top, m.reply = view, 0, 0, nil
	return m.refresh()
}

// pace makes the interval the next shorter or longer one.
func (m *model) pace(by int) tea.Cmd {
	next := m.interval
	for _, d := range intervals {
		if by > 0 && d > m.interval {
			next = d
			break
		}
		if by < 0 && d < m.interval {
			next = d
		}
	}
	if m.interval = next; m.paused {
		return nil
	}
	return m.refresh()
}

// move shows the period before or after the one that is shown. From views of this moment it leads to the load.
func (m *model) move(by int) tea.Cmd {
	if m.data.server.Flavour != PFSD {
		m.note = "this server does not remember what threads were doing"
		return nil
	}
	if !Views[m.view].Windowed {
		m.view, m.row, m.top = 0, 0, 0
	}
	w := m.window
	if w == (Window{}) {
		if by > 0 || m.data.window == (Window{}) {
			return m.refresh()
		}
		w = m.data.window
	}
	length := w.To.Sub(w.From)
	w = Window{w.From.Add(time.Duration(by) * length), w.To.Add(time.Duration(by) * length)}
	if !w.To.Before(time.Now().Add(m.data.server.Skew)) {
		w = Window{}
	}
	m.window = w
	return m.refresh()
}

// sort changes the column by which rows are sorted.
func (m *model) sort(k tea.KeyPressMsg) {
	if m.data.answer == nil {
		return
	}
	o, n := m.order(), len(m.data.answer.Columns)
	switch {
	case key.Matches(k, keys.unsorted):
		o = order{column: -1}
	case key.Matches(k, keys.sortRight):
		o.column = (o.column + 1) % n
	case key.Matches(k, keys.sortLeft):
		o.column = (max(o.column, 0) + n - 1) % n
	case o.column >= 0:
		o.up = !o.up
	}
	m.orders[Views[m.view].Name] = o
	m.choose(m.row)
}

// edit handles a key while a filter is typed.
func (m *model) edit(k tea.KeyPressMsg) {
	switch k.String() {
	case "enter":
		m.editing = false
	case "esc":
		m.editing, m.filter = false, ""
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.filter = m.filter[:len(m.filter)-size]
	case "ctrl+u":
		m.filter = ""
	default:
		m.filter = cutBytes(m.filter+Clean(k.Text), maxFilter)
	}
	m.choose(m.row)
}

// askToKill asks whether to kill the connection of the chosen row.
func (m *model) askToKill() {
	rows, name := m.rows(), Views[m.view].Connection
	if len(rows) == 0 || name == "" {
		m.note = "there is no connection to kill in this row"
		return
	}
	i := columnNamed(m.data.answer.Columns, name)
	if id, err := strconv.ParseUint(rows[m.row][max(i, 0)].Text, 10, 64); i >= 0 && err == nil {
		m.question = id
		return
	}
	m.note = "there is no connection to kill in this row"
}

// answerQuestion handles the key that answers the question of k.
func (m *model) answerQuestion(k tea.KeyPressMsg) tea.Cmd {
	id, whole := m.question, false
	m.question = 0
	what := fmt.Sprintf("killed the statement of connection %d", id)
	switch k.String() {
	case "y":
	case "c":
		what, whole = fmt.Sprintf("killed connection %d", id), true
	default:
		m.note = "nothing killed"
		return nil
	}
	return func() tea.Msg { return killed{what, m.source.Kill(m.ctx, id, whole)} }
}

// drill opens the page about the chosen row, and asks for it.
func (m *model) drill() tea.Cmd {
	rows := m.rows()
	if len(rows) == 0 {
		return nil
	}
	m.detail = &detail{columns: m.data.answer.Columns, row: rows[m.row]}
	m.open()
	return m.askDetail()
}

func (m *model) askDetail() tea.Cmd {
	flavour, v, d := m.data.server.Flavour, Views[m.view], *m.detail
	return func() tea.Msg { return drill(m.ctx, m.source, flavour, v, d.columns, d.row) }
}

// open opens a page: the help, or the detail.
func (m *model) open() {
	p := viewport.New()
	m.page = &p
	m.draw()
}

// pressOnPage handles a key while a page is open.
func (m *model) pressOnPage(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(k, keys.back), key.Matches(k, keys.help):
		m.page, m.detail = nil, nil
	case key.Matches(k, keys.enter) && m.detail != nil:
		return m.askDetail()
	case key.Matches(k, keys.kill) && m.detail != nil:
		m.askToKill()
	case key.Matches(k, keys.first):
		m.page.GotoTop()
	case key.Matches(k, keys.last):
		m.page.GotoBottom()
	default:
		p, cmd := m.page.Update(k)
		m.page = &p
		return cmd
	}
	return nil
}

// draw writes the page anew, for the size of the screen.
func (m *model) draw() {
	if m.page == nil {
		return
	}
	m.page.SetWidth(m.width)
	m.page.SetHeight(max(1, m.height-2))
	text := m.helpText()
	if m.detail != nil {
		text = m.detailText()
	}
	m.page.SetContent(strings.Join(text, "\n"))
}
