package mysqlerr

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What a text quotes is cut before what it says of it, and no character is cut.
func TestClip(t *testing.T) {
	long := strings.Repeat("é", 5_000_000)
	for _, c := range []struct{ message, begin, end string }{
		{"Unknown column 'a' in 'field list'", "Unknown column 'a' in 'field list'", "'field list'"},
		{"Duplicate entry '" + long + "' for key 't.PRIMARY'", "Duplicate entry 'ééé", "é' for key 't.PRIMARY'"},
		{"Incorrect integer value: 'a" + long + "' for column 'c' at row 12", "Incorrect integer value: 'aé", "é' for column 'c' at row 12"},
		{"Unknown column '" + long + "' in 'field list'", "Unknown column 'é", "é"},
		{"Key '" + long + "' for '" + long + "'", "Key 'é", "é"},
		{"a" + long, "aé", "é"},
		{"\xff" + strings.Repeat("\x80", 1000), "\xff\x80", "\x80"},
	} {
		got := Clip(c.message)
		if len(got) > messageMax || !strings.HasPrefix(got, c.begin[:min(len(c.begin), len(got))]) || !strings.HasSuffix(got, c.end) || utf8.ValidString(c.message) != utf8.ValidString(got) {
			t.Errorf("%.30q of %d bytes became %q", c.message, len(c.message), got)
		}
		if work := shortened(c.message); len(work) > workMax {
			t.Errorf("%.30q: %d bytes are looked at", c.message, len(work))
		}
	}
}

// The end of a long text is what a pattern for its end finds.
func FuzzClip(f *testing.F) {
	f.Add("Duplicate entry '' for key 'k'", uint16(1000))
	f.Add("é' at row 1", uint16(600))
	f.Fuzz(func(t *testing.T, text string, n uint16) {
		message := text + strings.Repeat("'é", int(n)) + text
		got := Clip(message)
		if len(got) > messageMax && len(got) > len(message) || len(message) > messageMax && len(got) > messageMax {
			t.Errorf("%d bytes became %d", len(message), len(got))
		}
		if utf8.ValidString(message) && !utf8.ValidString(got) {
			t.Errorf("%q is cut within a character", got)
		}
	})
}
