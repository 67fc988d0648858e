package top

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1":                "SELECT 1",
		"a\tb\nc\r\nd":            "a b c  d",
		"\x1b[2J\x1b]0;mine\x07":  "[2J]0;mine",
		"\u009b31mred":            "31mred",
		"x\u202egnp.exe":          "xgnp.exe",
		"\x9b31m":                 "\uFFFD31m",
		"Grüße, 世界":               "Grüße, 世界",
		"zero\u200bwidth\x7f\x00": "zerowidth",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "SELECT 1", "\x1b[31m", "\u009b", "\xff\x9b", "a\nb", "\u2028\u202e", "e\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%q has %U", got, r)
			}
		}
		if again := Clean(got); again != got {
			t.Errorf("%q, cleaned again, is %q", got, again)
		}
		if cut := cutBytes(text, 5); len(cut) > 5 || !strings.HasPrefix(text, cut) {
			t.Errorf("the first bytes of %q are %q", text, cut)
		}
	})
}

func TestShow(t *testing.T) {
	for _, test := range []struct {
		text string
		kind Kind
		want string
	}{
		{"0", Time, "0 ps"}, {"1234", Time, "1.23 ns"}, {"49000000000", Time, "49 ms"}, {"180000000000000", Time, "3 min"},
		{"1.5", Seconds, "1.50 s"}, {"1536", Bytes, "1.50 KiB"}, {"999", Bytes, "999 B"}, {"12", Count, "12"}, {"many", Time, "many"},
	} {
		if got := (Value{Text: test.text}).show(test.kind); got != test.want {
			t.Errorf("%s of kind %d is %q, want %q", test.text, test.kind, got, test.want)
		}
	}
	if got := (Value{Null: true}).show(Time); got != "-" {
		t.Errorf("NULL is %q", got)
	}
}
