package grammar

import (
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

func TestDiagnosticsAsSet(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"GET DIAGNOSTICS @n = NUMBER", "SET `GET;`=0,   @n = NUMBER"},
		{"get current diagnostics n = row_count", "SET `GET;`=0,           n = row_count"},
		{"GET STACKED DIAGNOSTICS @n = NUMBER", "SET `GET;S`=0,          @n = NUMBER"},
		{"GET DIAGNOSTICS CONDITION 1 @m = MESSAGE_TEXT", "SET `GET;C`=              1,@m = MESSAGE_TEXT"},
		{"GET STACKED DIAGNOSTICS CONDITION i m = MESSAGE_TEXT, @n = MYSQL_ERRNO", "SET `GET;SC`=                     i,m = MESSAGE_TEXT, @n = MYSQL_ERRNO"},
		{"BEGIN SELECT 1; GET /* what */ DIAGNOSTICS n = NUMBER; END", "BEGIN SELECT 1; SET `GET;`=0,              n = NUMBER; END"},
		// What must stay as it is.
		{"SELECT 'GET DIAGNOSTICS n = NUMBER'", ""},
		{"SELECT 1 -- GET DIAGNOSTICS n = NUMBER", ""},
		{"SELECT `GET` diagnostics", ""},
		{"GET DIAGNOSTICS CONDITION", ""},
		{"GET", ""},
	} {
		got, any := DiagnosticsAsSet(c.text)
		want := c.want
		if want == "" {
			want = c.text
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") || any != (c.want != "") || len(got) != len(c.text) {
			t.Errorf("%s:\n got %q, %v\nwant %q", c.text, got, any, want)
		}
	}
}

func TestDiagnosticsOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"GET DIAGNOSTICS @n = NUMBER, r = ROW_COUNT", "@n=NUMBER r=ROW_COUNT"},
		{"GET STACKED DIAGNOSTICS CONDITION @i m = MESSAGE_TEXT, @s = `RETURNED_SQLSTATE`", "stacked @i: m=MESSAGE_TEXT @s=RETURNED_SQLSTATE"},
	} {
		text, _ := DiagnosticsAsSet(c.text)
		s, err := ast.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		d := DiagnosticsOf(s.(*ast.Set))
		if d == nil {
			t.Fatalf("%s: not recognised", text)
		}
		var got []string
		if d.Stacked {
			got = append(got, "stacked")
		}
		if d.Condition != nil {
			got = append(got, strings.ReplaceAll(ast.String(d.Condition), "`", "")+":")
		}
		for _, a := range d.Items {
			got = append(got, a.Target+"="+a.Item)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %q, want %q", c.text, s, c.want)
		}
	}
	s, err := ast.Parse("SET @a = 1, b = 2")
	if err != nil {
		t.Fatal(err)
	}
	if DiagnosticsOf(s.(*ast.Set)) != nil {
		t.Error("a plain SET is taken for GET DIAGNOSTICS")
	}
}

// The result is as long as the text, and nothing inside string literals changes.
func FuzzDiagnosticsAsSet(f *testing.F) {
	for _, s := range []string{"GET DIAGNOSTICS @n = NUMBER", "GET STACKED DIAGNOSTICS CONDITION 1 m=MESSAGE_TEXT", "'GET DIAGNOSTICS n", "/* GET */DIAGNOSTICS", "GET DIAGNOSTICS CONDITION\n1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, any := DiagnosticsAsSet(s)
		if len(got) != len(s) || !any && got != s {
			t.Fatalf("%q became %q", s, got)
		}
		quoted := "'" + strings.NewReplacer("'", "", "\\", "").Replace(s) + "'"
		if got, any := DiagnosticsAsSet(quoted); any || got != quoted {
			t.Fatalf("%q became %q", quoted, got)
		}
	})
}
