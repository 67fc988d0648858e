package pfsdweb

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"pfsd/engine/incident"
)

// signIn signs in with the keyboard.
func (b *tab) signIn(user, password string) {
	b.t.Helper()
	b.until(`!document.querySelector('#login').hidden && document.activeElement.name === 'user'`)
	b.press(user, "Tab", password, "Enter")
}

// shows waits until a view is shown, and fails if it does not have the texts.
func (b *tab) shows(view string, texts ...string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.querySelector('#view').dataset.shown === %q", view))
	var html string
	b.eval("document.querySelector('#view').outerHTML", &html)
	for _, text := range texts {
		if !strings.Contains(html, text) {
			b.t.Errorf("%s does not show %s:\n%s", view, text, b.text("body"))
		}
	}
}

// hasRow fails if no row of a table has all the texts.
func (b *tab) hasRow(table string, texts ...string) {
	b.t.Helper()
	var rows []string
	b.eval(fmt.Sprintf(`[...document.querySelectorAll('table')].filter(t => t.ariaLabel === %q).flatMap(t => [...t.tBodies[0].rows].map(r => r.innerText))`, table), &rows)
	for _, row := range rows {
		found := true
		for _, text := range texts {
			found = found && strings.Contains(row, text)
		}
		if found {
			return
		}
	}
	b.t.Errorf("no row of %s has %q: %q", table, texts, rows)
}

// cells are the texts of the row of a table that begins with name; the test ends if there is none.
func (b *tab) cells(table, name string) (cells map[string]string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`(t => {
		const row = [...t?.tBodies[0].rows ?? []].find(r => r.cells[0].innerText.startsWith(%q))
		return row && Object.fromEntries([...row.cells].map((c, i) => [t.tHead.rows[0].cells[i].innerText, c.innerText])) || null
	})([...document.querySelectorAll('table')].find(t => t.ariaLabel === %q))`, name, table), &cells)
	if cells == nil {
		b.t.Fatalf("%s has no row %s:\n%s", table, name, b.text("body"))
	}
	return cells
}

// comparesIncident fails if the comparison does not say what became worse in the incident.
func (b *tab) comparesIncident() {
	b.t.Helper()
	grew := func(table, name string, columns ...string) {
		b.t.Helper()
		cells := b.cells(table, name)
		for _, c := range columns {
			var before, after float64
			if _, err := fmt.Sscan(cells[c+" before"]+" "+cells[c+" after"], &before, &after); err != nil || before <= 0 || after <= before {
				b.t.Errorf("%s, %s, %s: %v: %q", table, name, c, err, cells)
			}
		}
	}
	grew("Statements that changed", incident.Statement, "active")
	grew("Waits that changed", incident.RowLock, "active")
	grew("Statements counted", incident.Statement, "mean ms", "95 % ms")
	grew("Waits counted", incident.RowLock, "mean ms")
	for table, column := range map[string]string{"Waits that changed": "active", "Waits counted": "per s"} {
		cells := b.cells(table, incident.Lock)
		var after float64
		if _, err := fmt.Sscan(cells[column+" after"], &after); err != nil || after <= 0 || cells[column+" before"] != "0.000" {
			b.t.Errorf("%s, a wait of the incident alone: %v: %q", table, err, cells)
		}
	}
}

// isQuiet fails if the page has made an error, or has asked another machine for anything.
func (b *tab) isQuiet(url string) {
	b.t.Helper()
	for _, text := range b.said {
		if !strings.Contains(text, "flamegraph.js") { // it adds a style of its own, which the policy refuses and page.css has
			b.t.Errorf("the browser says %s", text)
		}
	}
	for _, asked := range b.asked {
		if !strings.HasPrefix(asked, url) && !strings.HasPrefix(asked, "data:") {
			b.t.Errorf("the page asks for %s", asked)
		}
	}
}

// A headless browser shows each view, by its key, with a thread that has locked a lock for which another one waits.
func TestBrowser(t *testing.T) {
	b := openTab(t)
	s := serve(t, Options{})
	lock := s.reg.NewMutex("test/planted")
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{}, 2)
	s.reg.Go("test/holder", func() {
		lock.Lock()
		close(locked)
		<-release
		lock.Unlock()
		done <- struct{}{}
	})
	<-locked
	s.reg.Go("test/waiter", func() {
		lock.Lock()
		lock.Unlock() //nolint:staticcheck // it only waits
		done <- struct{}{}
	})
	t.Cleanup(func() {
		close(release)
		<-done
		<-done
	})
	s.want(t, "POST", "/api/login", dba, 200, "")
	for deadline := time.Now().Add(time.Minute); ; {
		if _, body := s.do(t, "GET", "/api/query/blockers", "", nil); strings.Contains(body, "test/planted") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no sample has the lock")
		}
	}
	b.open(s.url + "/")
	var paint float64
	b.until(`performance.getEntriesByName('first-contentful-paint').length`)
	b.eval(`performance.getEntriesByName('first-contentful-paint')[0].startTime`, &paint)
	t.Logf("the first paint is after %.0f ms", paint)
	b.signIn("dba", "wrong")
	b.until(`!document.querySelector('#error').hidden`)
	if text := b.text("#error"); !strings.Contains(text, "1045") {
		t.Errorf("a wrong password: %s", text)
	}
	b.said = nil // of the answer 401
	b.eval(`document.querySelector('#login').reset() ?? document.querySelector('#login').elements.user.focus() ?? true`, new(bool))
	b.signIn("dba", "right")
	for i, view := range []struct {
		name  string
		wants []string
	}{
		{"Load", []string{"u-legend", "wait/synch/mutex/test/planted", "browser_test.go:"}},
		{"Locks", []string{"<svg", "test/holder", "test/waiter", "browser_test.go:"}},
		{"Flames", []string{"d3-flame-graph", "wait/synch/mutex/test/planted", "browser_test.go:"}},
		{"Compare", []string{"Statements that changed", "Waits counted"}},
		{"Settings", []string{"Read only", "events_waits_current"}},
	} {
		b.press(fmt.Sprint(i + 1))
		b.shows(view.name, view.wants...)
		b.picture(view.name)
	}
	b.isQuiet(s.url)
}

// Somebody signs in an hour later, chooses the time of an incident in the chart, and finds what threads waited for, who was in the way,
// and the statement that became slower, although the server has been restarted since. Two times that are written do the same.
func TestBrowserIncident(t *testing.T) {
	b := openTab(t)
	i := incident.Plant(t)
	mux := http.NewServeMux()
	p, err := Register(mux, i.Server, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	h := httptest.NewServer(mux)
	defer h.Close()
	b.open(h.URL + "/")
	b.signIn(incident.User, incident.Password)
	b.shows("Load", incident.Lock)

	b.eval(`delete document.querySelector('#view').dataset.shown`, new(bool))
	b.eval(`document.querySelector('#period').focus() ?? true`, new(bool))
	b.press("ArrowUp") // to one minute
	b.shows("Load", incident.Lock)
	from, to := b.chosen("load")
	var chart struct{ Left, Top, Width, Height float64 }
	b.eval(`(r => ({ left: r.left, top: r.top, width: r.width, height: r.height }))(document.querySelector('.u-over').getBoundingClientRect())`, &chart)
	at := func(when time.Time) float64 {
		return chart.Left + (float64(when.UnixMilli())-from)/(to-from)*chart.Width
	}
	b.eval(`delete document.querySelector('#view').dataset.shown`, new(bool))
	// A pixel is some 50 ms: one too far to the right would have the beginning of the incident in the period before.
	b.drag(at(i.Begin.Add(-80*time.Millisecond)), at(i.End), chart.Top+chart.Height/2)
	b.shows("Load")
	if from, to = b.chosen("load"); math.Abs(from-float64(i.Begin.UnixMilli())) > 200 || math.Abs(to-float64(i.End.UnixMilli())) > 200 {
		t.Errorf("the mouse chose %f to %f, not %d to %d", from, to, i.Begin.UnixMilli(), i.End.UnixMilli())
	}
	finds := func() {
		t.Helper()
		b.hasRow("Top waits", incident.Lock)
		b.hasRow("Top waits", incident.RowLock, incident.Object)
		b.hasRow("Statements", incident.Statement)
		b.hasRow("Blockers", i.LockedAt, incident.WaitsFor, incident.Lock)
		b.hasRow("Blockers", "idle", incident.RowLock, incident.Object)
	}
	finds()
	b.picture("Incident")
	b.press("3")
	b.shows("Flames", incident.Lock, incident.RowLock)
	b.press("4")
	b.shows("Compare")
	b.comparesIncident()
	b.picture("Compared")
	b.press("l")
	b.shows("Compare")
	b.picture("Compared dark")
	b.press("l")
	b.press("1")
	b.shows("Load")
	b.eval(`document.querySelector('#range').elements.from.focus() ?? delete document.querySelector('#view').dataset.shown`, new(bool))
	for _, when := range []time.Time{i.Begin, i.End.Add(time.Second)} {
		b.press(when.Format("01022006"), "Tab", when.Format("030405PM"))
		if when == i.Begin {
			b.press("Tab", "Tab") // past the button of the calendar
		}
	}
	b.press("Enter")
	b.shows("Load")
	if from, to = b.chosen("load"); int64(from) != i.Begin.Unix()*1000 || int64(to) != (i.End.Unix()+1)*1000 {
		t.Errorf("the form chose %f to %f, not %d to %d", from, to, i.Begin.Unix(), i.End.Unix()+1)
	}
	finds()
	b.isQuiet(h.URL)
}

// chosen is the period that the page asked about last.
func (b *tab) chosen(query string) (from, to float64) {
	b.t.Helper()
	var ends [2]float64
	b.eval(fmt.Sprintf(`(u => [u.get('from'), u.get('to')].map(Number))(new URL(performance.getEntriesByType('resource').filter(e => e.name.includes('/query/%s?')).at(-1).name).searchParams)`, query), &ends)
	return ends[0], ends[1]
}

// TestBrowserPictures writes the pictures of the documents into PFSD_PICTURES: of the page at the address PFSD_PAGE, whose root has no
// password. They show the last five minutes, and the last one beside the one before.
func TestBrowserPictures(t *testing.T) {
	url := os.Getenv("PFSD_PAGE")
	if url == "" {
		t.Skip("PFSD_PAGE is not set")
	}
	b := openTab(t)
	b.open(url)
	b.signIn("root", "")
	b.shows("Load")
	b.picture("web-light")
	b.eval(`delete document.querySelector('#view').dataset.shown`, new(bool))
	b.eval(`document.querySelector('#period').focus() ?? true`, new(bool))
	b.press("ArrowUp") // to one minute
	b.shows("Load")
	b.eval(`document.activeElement.blur() ?? true`, new(bool))
	b.press("4")
	b.shows("Compare")
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1200, "height": 1000, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.picture("web-compare")
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
	b.press("l")
	for i, view := range []string{"Load", "Locks", "Flames"} {
		b.press(fmt.Sprint(i + 1))
		b.shows(view)
		if view == "Flames" { // the frames grow
			b.until(`document.querySelector('.d3-flame-graph rect').getBoundingClientRect().width === document.querySelector('.d3-flame-graph').getBoundingClientRect().width`)
		}
		b.picture("web-dark-" + view)
	}
	b.isQuiet(url)
}
