package syntax

import (
	"slices"
	"testing"
)

func TestReader(t *testing.T) {
	for _, test := range []struct {
		text    string
		newCode bool
		want    []string // the tokens; names are in brackets, and tokens of the kind Other have a bar before them
	}{
		{"SELECT `a``b`, t.c FROM d -- e\n", false, []string{"SELECT", "[a`b]", "|,", "T", "|.", "C", "FROM", "D"}},
		{"a 'b;' \"c\" 1.5 @d := x'41' # e", false, []string{"A", "|'", "|\"", "|1", "|@", "|:=", "|x"}},
		{"root@localhost /* a */ r@'%'", false, []string{"|ROOT", "|@", "|R", "|@"}},
		{"/*!50000 a */ b /*!80401 c */ /*M!50000 d */ /*+ e */ f", false, []string{"A", "B", "|/", "F"}},
		{"/*!50000 a '*/' */ b /*!99999 c */ /*! d*/", true, []string{"A", "|'", "B", "C", "D"}},
		{"`", false, []string{"|`"}},
		{"*/ a", false, []string{"|*", "|/", "A"}},
	} {
		r := Reader{Text: test.text, NewCode: test.newCode}
		var got []string
		for r.Next(); r.Kind != End; r.Next() {
			got = append(got, map[Kind]string{Word: "", Name: "[", Other: "|"}[r.Kind]+r.Word+map[Kind]string{Name: "]"}[r.Kind])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.text, got, test.want)
		}
	}
}

// FuzzReader checks that each token stands behind the one before it, and that the Reader reaches
// the end of the text.
func FuzzReader(f *testing.F) {
	f.Add("/*!50000 a */ '`", true)
	f.Fuzz(func(t *testing.T, text string, newCode bool) {
		r := Reader{Text: text, NewCode: newCode}
		for end := 0; ; end = r.End {
			r.Next()
			if r.Kind == End {
				return
			}
			if r.At < end || r.End <= r.At {
				t.Fatalf("%q: a token at %d to %d behind %d", text, r.At, r.End, end)
			}
		}
	})
}
