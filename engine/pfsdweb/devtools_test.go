package pfsdweb

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// browserTime is how long a browser has for all that a test asks of it.
const browserTime = 3 * time.Minute

// A tab is a tab of a headless browser, which a test reaches through two pipes. Messages are JSON, with a NUL behind each. Owned by
// one goroutine.
type tab struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	id      int
	session string
	said    []string // errors that the page or the browser has said
	asked   []string // addresses that the page has asked for
}

// message is what the browser says: the answer to a call, or an event.
type message struct {
	ID     int
	Method string
	Error  *struct{ Message string }
	Result json.RawMessage
	Params struct {
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Entry   struct{ Level, Text, URL string }
		Request struct{ URL string }
	}
}

// openTab starts a browser with an empty tab. It ends with the test. It needs PFSD_CHROMIUM, the name of the program.
func openTab(t *testing.T) *tab {
	t.Helper()
	chromium := os.Getenv("PFSD_CHROMIUM")
	if chromium == "" {
		t.Skip("make web-test sets PFSD_CHROMIUM")
	}
	itsIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, itsOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), browserTime)
	c := exec.CommandContext(ctx, "sh", "-c", `exec "$0" "$@"`, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--remote-debugging-pipe", "--lang=en-US", "--window-size=1200,800", "--user-data-dir="+t.TempDir(), "about:blank")
	c.ExtraFiles = []*os.File{itsIn, itsOut} // 3 and 4
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = itsIn.Close(), itsOut.Close()
	b := &tab{t: t, in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil, nil)
		_ = c.Wait()
		cancel()
		_, _ = in.Close(), out.Close()
	})
	_, _ = in.SetDeadline(time.Now().Add(browserTime)), out.SetDeadline(time.Now().Add(browserTime))
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call calls a method of the browser, and sets result, if it is not nil, to the answer.
func (b *tab) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.id++
	request := map[string]any{"id": b.id, "method": method, "params": params}
	if params == nil {
		request["params"] = map[string]any{}
	}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		text, err := b.out.ReadBytes(0)
		var m message
		if err == nil {
			err = json.Unmarshal(text[:len(text)-1], &m)
		}
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		if m.ID != b.id {
			b.hear(&m)
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result == nil {
			return
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		return
	}
}

// hear keeps what an event says.
func (b *tab) hear(m *message) {
	switch m.Method {
	case "Runtime.exceptionThrown":
		b.said = append(b.said, m.Params.ExceptionDetails.Text+" "+m.Params.ExceptionDetails.Exception.Description)
	case "Log.entryAdded":
		if e := m.Params.Entry; e.Level == "error" {
			b.said = append(b.said, e.Text+" "+e.URL)
		}
	case "Network.requestWillBeSent":
		b.asked = append(b.asked, m.Params.Request.URL)
	}
}

// open opens an address.
func (b *tab) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	b.until(fmt.Sprintf("location.href.startsWith(%q) && document.readyState === 'complete'", url))
}

// eval sets result to the value of an expression in the page.
func (b *tab) eval(expression string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, answer.ExceptionDetails.Exception.Description)
	}
	if err := json.Unmarshal(answer.Result.Value, result); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
}

// until waits until a condition is true in the page.
func (b *tab) until(condition string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var is bool
		if b.eval("Boolean("+condition+")", &is); is {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s is not true:\n%s", condition, b.text("body"))
		}
	}
}

// text is the text of an element as people see it.
func (b *tab) text(selector string) (text string) {
	b.t.Helper()
	b.eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &text)
	return text
}

// named are the keys that are no characters, with their numbers.
var named = map[string]int{"Tab": 9, "Enter": 13, "ArrowUp": 38}

// press presses keys: those that have a name, and the characters of other texts.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	one := func(key, text string, number int) {
		for _, kind := range []string{"keyDown", "keyUp"} {
			p := map[string]any{"type": kind, "key": key, "windowsVirtualKeyCode": number}
			if text != "" && kind == "keyDown" {
				p["text"] = text
			}
			b.call("Input.dispatchKeyEvent", p, nil)
		}
	}
	for _, k := range keys {
		if number, ok := named[k]; ok {
			text := ""
			if k == "Enter" {
				text = "\r"
			}
			one(k, text, number)
			continue
		}
		for _, c := range k {
			one(string(c), string(c), int([]rune(strings.ToUpper(string(c)))[0]))
		}
	}
}

// drag moves the mouse from one place to another with its button pressed.
func (b *tab) drag(fromX, toX, y float64) {
	b.t.Helper()
	for _, e := range []struct {
		kind string
		x    float64
		down int
	}{{"mouseMoved", fromX, 0}, {"mousePressed", fromX, 1}, {"mouseMoved", (fromX + toX) / 2, 1}, {"mouseMoved", toX, 1}, {"mouseReleased", toX, 0}} {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": e.kind, "x": e.x, "y": y, "button": "left", "buttons": e.down, "clickCount": 1}, nil)
	}
}

// picture writes a picture of the page into PFSD_PICTURES, a directory, if it is set.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("PFSD_PICTURES")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	text, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		text, err = smallPicture(text)
	}
	if err == nil {
		err = os.WriteFile(dir+"/"+name+".png", text, 0o600)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// smallPicture is a PNG picture with the 128 colours that most of it has: those of edges of letters become the nearest of them.
func smallPicture(text []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	counts, bounds := map[color.Color]int{}, from.Bounds()
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			counts[from.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	to := image.NewPaletted(bounds, colours[:min(128, len(colours))])
	near := map[color.Color]uint8{}
	for _, c := range colours {
		near[c] = uint8(to.Palette.Index(c))
	}
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			to.SetColorIndex(x, y, near[from.At(x, y)])
		}
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, to)
	return b.Bytes(), err
}
