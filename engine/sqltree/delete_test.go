package sqltree

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends/mendtest"
)

func TestDelete(t *testing.T) {
	parse := func(q string) *ast.Delete {
		t.Helper()
		s, err := sql.DefaultMySQLParser.ParseSimple(q)
		if err != nil {
			t.Fatal(err)
		}
		return s.(*ast.Delete)
	}
	if parse("DELETE FROM t").Where != nil {
		mendtest.NoLongerNeeded(t, "delete.go")
	}
	for q, want := range map[string]string{
		"DELETE FROM t": "t DELETE",
		"DELETE FROM t WHERE a = (SELECT 1 FROM s)":    "t DELETE, s SELECT",
		"DELETE t FROM t JOIN s":                       "t DELETE, s SELECT",
		"DELETE x FROM t x JOIN t s":                   "x DELETE, s SELECT",
		"DELETE FROM x, s USING t x JOIN s JOIN d.u":   "x DELETE, s DELETE, u SELECT",
		"DELETE d.t FROM d.t JOIN e.t ON d.t.a=e.t.a":  "t DELETE, t SELECT",
		"DELETE t FROM t JOIN (SELECT * FROM s) q":     "t DELETE, s SELECT",
		"DELETE T FROM t JOIN s ON t.a = s.a":          "t DELETE, s SELECT",
		"DELETE t FROM d.t JOIN s ON t.a = s.a":        "t DELETE, s SELECT",
		"DELETE t FROM t, u LEFT JOIN v ON u.a = v.a":  "t DELETE, u SELECT, v SELECT",
		"DELETE FROM t USING t WHERE a IN (1)":         "t DELETE",
		"DELETE FROM t WHERE a = 1 ORDER BY a LIMIT 1": "t DELETE",
	} {
		d := parse(q)
		Writes(d)
		if d.Where == nil {
			t.Errorf("%s has no WHERE", q)
		}
		var got []string
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			if e, ok := n.(*ast.AliasedTableExpr); ok {
				if name, ok := e.Expr.(ast.TableName); ok {
					as := e.As.String()
					if as == "" {
						as = name.Name.String()
					}
					got = append(got, as+" "+e.Auth.AuthType)
				}
			}
			return true, nil
		}, d)
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s\n got %s\nwant %s", q, s, want)
		}
	}
}
