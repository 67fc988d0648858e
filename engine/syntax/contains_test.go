package syntax

import (
	"strings"
	"testing"
)

func FuzzMentions(f *testing.F) {
	f.Add("SELECT a FROM t GROUP BY a", "group")
	f.Add("grougroup", "group")
	f.Add("gro", "group")
	f.Fuzz(func(t *testing.T, text, word string) {
		for i := range len(text + word) {
			if (text + word)[i] >= 0x80 {
				t.Skip("the text is not ASCII")
			}
		}
		word = strings.ToLower(word)
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Skip("the word is empty or has other characters than letters")
		}
		if got, want := ContainsFold(text, word), strings.Contains(strings.ToLower(text), word); got != want {
			t.Errorf("%q has %q: %v, want %v", text, word, got, want)
		}
	})
}

func TestNests(t *testing.T) {
	for query, want := range map[string]bool{
		"SELECT 1": false, " (select a from t)": false, "DELETE FROM t": false, "": false, "s": false,
		"SELECT (sElect 1)": true, "insert into t Select 1": true, "SELECT 1 UNION SELECT 2": true, "WITH x AS (SELECT 1) TABLE x": true,
		"/* a */ SELECT 1": true, // a false positive, which is allowed
	} {
		if got := MayHaveSubquery(query); got != want {
			t.Errorf("%q: %v", query, got)
		}
		if n := testing.AllocsPerRun(10, func() { MayHaveSubquery(query) }); n != 0 {
			t.Errorf("%q: %v allocations", query, n)
		}
	}
}
