package clientfiles

import (
	"strings"
	"testing"
)

// Rows are written as MySQL writes them.
func TestRowWriter(t *testing.T) {
	text := func(s string) Field { return Field{Value: []byte(s), Text: true} }
	row := []Field{{Value: []byte("-1")}, text("a\tb\nc\\d\"e,f\x00"), {Null: true}, text("")}
	for _, c := range []struct {
		fields Fields
		want   string
	}{
		{Fields{Terminated: "\t", Escaped: `\`, LinesTerminated: "\n"}, "-1\ta\\\tb\\\nc\\\\d\"e,f\\0\t\\N\t\n"},
		{Fields{Terminated: ",", Enclosed: `"`, Escaped: `\`, LinesTerminated: "\n"}, "\"-1\",\"a\tb\\\nc\\\\d\\\"e,f\\0\",\\N,\"\"\n"},
		{Fields{Terminated: ",", Enclosed: `"`, Optionally: true, Escaped: `\`, LinesTerminated: "\n"}, "-1,\"a\tb\\\nc\\\\d\\\"e,f\\0\",\\N,\"\"\n"},
		{Fields{Terminated: ", ", LinesStarting: "> ", LinesTerminated: ";\n"}, "> -1, a\tb\nc\\d\"e,f\x00, NULL, ;\n"},
	} {
		var b strings.Builder
		w := NewRowWriter(&b, c.fields)
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil || b.String() != c.want {
			t.Errorf("%+v\n got %q, %v\nwant %q", c.fields, b.String(), err, c.want)
		}
	}
}
