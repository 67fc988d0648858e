package top

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/go-sql-driver/mysql"
)

// TestPicture writes top.svg into PFSD_PICTURES, the directory, of the server at PFSD_TOP, whose root has no password: for the documents.
func TestPicture(t *testing.T) {
	dir, addr := os.Getenv("PFSD_PICTURES"), os.Getenv("PFSD_TOP")
	if dir == "" || addr == "" {
		t.Skip("PFSD_PICTURES and PFSD_TOP are not set")
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = "root", "tcp", addr
	source, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = source.Close() })
	s := &screen{t: t, m: newModel(t.Context(), source, Options{Interval: time.Second, View: "load", Address: addr, Colours: true})}
	s.do(s.m.Init())
	const width, height = 120, 30
	s.m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	if err := os.WriteFile(filepath.Join(dir, "top.svg"), []byte(svgOf(s.text(), width, height)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSVG: what the screen paints is in its picture, in the same cells.
func TestSVG(t *testing.T) {
	b := brush{colours: true}
	got := svgOf("a<b "+b.in(1, "██")+b.with(bold, "x  y")+"\n"+b.with(reversed, "z"), 20, 3)
	for _, want := range []string{
		`width="168"`, `<text x="0" y="14" textLength="24">a&lt;b</text>`, `<rect x="32" y="0" width="16" height="18" fill="` + palette[1] + `"/>`, `<text x="48" y="14" textLength="32" class="b">x  y</text>`,
		`<rect x="0" y="18" width="8" height="18" fill="` + foreground + `"/>`, `<text x="0" y="32" textLength="8" fill="` + background + `">z</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture does not have %s:\n%s", want, got)
		}
	}
	if err := xml.Unmarshal([]byte(got), new(struct{})); err != nil {
		t.Error(err)
	}
}

// The colours of the picture: those of a terminal, by the number that brush.in gets.
const foreground, background = "#d8dee4", "#14171a"

var palette = [16]string{"#2b3036", "#d9534f", "#3f9e5f", "#e0a52e", "#3b82c4", "#b06bb8", "#35a9b5", "#c5ccd3", "#7c8894", "#ff8a80", "#7bd88f", "#ffd866", "#7fb4ff", "#e29bf0", "#7fe3ec", "#ffffff"}

// Sizes of a cell, in pixels.
const cellWidth, cellHeight, baseline = 8, 18, 14

var escapes = regexp.MustCompile("\x1b\\[([0-9]*)m")

// svgOf is a picture of a screen of so many cells, which has colours as brush writes them.
func svgOf(screen string, width, height int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="%d" height="%d" viewBox="-4 -4 %[1]d %[2]d">`+"\n", width*cellWidth+8, height*cellHeight+8)
	fmt.Fprintf(&b, `<style>text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre } .b { font-weight: bold }</style>`+"\n")
	fmt.Fprintf(&b, `<rect x="-4" y="-4" width="100%%" height="100%%" fill="%s"/>`+"\n"+`<g fill="%s">`+"\n", background, foreground)
	for y, line := range strings.Split(screen, "\n") {
		x, code := 0, 0
		for line != "" {
			text, rest, next := line, "", 0
			if at := escapes.FindStringSubmatchIndex(line); at != nil {
				text, rest = line[:at[0]], line[at[1]:]
				next, _ = strconv.Atoi(line[at[2]:at[3]])
			}
			draw(&b, x, y, code, text)
			x += utf8.RuneCountInString(text)
			line, code = rest, next
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// draw draws a text that has one attribute.
func draw(b *strings.Builder, x, y, code int, text string) {
	left, top, width := x*cellWidth, y*cellHeight, utf8.RuneCountInString(text)*cellWidth
	attributes, fill := "", ""
	switch {
	case code == bold:
		attributes = ` class="b"`
	case code == reversed:
		attributes, fill = fmt.Sprintf(` fill="%s"`, background), foreground
	case code >= 90:
		attributes = fmt.Sprintf(` fill="%s"`, palette[code-90+8])
	case code >= 30:
		attributes = fmt.Sprintf(` fill="%s"`, palette[code-30])
	}
	if text != "" && strings.Trim(text, "█") == "" {
		fill, text = strings.TrimSuffix(strings.TrimPrefix(attributes, ` fill="`), `"`), ""
	}
	if fill != "" {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left, top, width, cellHeight, fill)
	}
	if trimmed := strings.TrimRight(text, " "); trimmed != "" {
		start := utf8.RuneCountInString(trimmed) - utf8.RuneCountInString(strings.TrimLeft(trimmed, " "))
		trimmed = strings.TrimLeft(trimmed, " ")
		var escaped strings.Builder
		_ = xml.EscapeText(&escaped, []byte(trimmed)) // a strings.Builder has no errors
		fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d"%s>%s</text>`+"\n", left+start*cellWidth, top+baseline, utf8.RuneCountInString(trimmed)*cellWidth, attributes, &escaped)
	}
}
