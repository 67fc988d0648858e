package sqlvalue

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
)

func TestChoice(t *testing.T) {
	ctx := sql.NewEmptyContext()
	left := func(typ sql.Type, v any) (any, error) {
		return function.NewLeft(ctx, expression.NewLiteral(v, typ), expression.NewLiteral(int64(1), types.Int64)).Eval(ctx, nil)
	}
	if got, err := left(types.MustCreateEnumType([]string{"YES", "NO"}, sql.Collation_utf8mb4_0900_ai_ci), uint16(1)); err == nil && got == "Y" {
		mendtest.NoLongerNeeded(t, "enumtype.go")
	}
	yesNo := NewChoice("C", []string{"YES", "NO"}, false)
	flags := NewChoice("F", []string{"a", "b"}, true)
	if got, err := left(yesNo, "YES"); err != nil || got != "Y" {
		t.Errorf("LEFT('YES', 1) = %v, %v", got, err)
	}
	for _, c := range []struct {
		typ      *Choice
		in, want any
	}{
		{yesNo, "no", "NO"}, {yesNo, 1, "YES"}, {yesNo, uint8(2), "NO"}, {yesNo, []byte("Yes"), "YES"}, {yesNo, 2.0, "NO"}, {yesNo, 1.5, "YES"}, {yesNo, nil, nil},
		{flags, "B,A", "a,b"}, {flags, "", ""}, {flags, 2, "b"}, {flags, 3, "a,b"},
	} {
		if got, _, err := c.typ.Convert(ctx, c.in); err != nil || got != c.want {
			t.Errorf("%s: %v is %v, %v; want %v", c.typ, c.in, got, err, c.want)
		}
	}
	for typ, bad := range map[*Choice][]any{yesNo: {"", "maybe", 0, 3, -1, 0.5, 3.0}, flags: {"c", "a,c", 4}} {
		for _, v := range bad {
			if _, _, err := typ.Convert(ctx, v); err == nil || !strings.Contains(err.Error(), "Data truncated for column") {
				t.Errorf("%s takes %v: %v", typ, v, err)
			}
		}
	}
	if yesNo.String() != "enum('YES','NO')" || flags.String() != "set('a','b')" || yesNo.Equals(flags) {
		t.Error("String or Equals of a type is wrong")
	}
}
