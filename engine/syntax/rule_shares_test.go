package syntax

import (
	"slices"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// TestShares checks that the syntax tree has shared locks where the text has them, and only there.
func TestShares(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT a FROM t FOR SHARE":                                                {" lock in share mode"},
		"SELECT a FROM t LOCK IN SHARE MODE":                                       {" lock in share mode"},
		"SELECT a FROM t FOR SHARE NOWAIT":                                         {" for share nowait"},
		"SELECT a FROM t FOR SHARE SKIP LOCKED":                                    {" for share skip locked"},
		"SELECT a FROM t, u FOR SHARE OF t, d.u SKIP LOCKED":                       {" for share of t, u skip locked"},
		"SELECT a FROM t FOR UPDATE OF t NOWAIT":                                   {" for update of t nowait"},
		"SELECT a FROM t UNION SELECT a FROM u FOR SHARE OF u":                     {" for share of u"},
		"SELECT a FROM t WHERE a IN (SELECT b FROM u FOR SHARE NOWAIT) FOR UPDATE": {" for update", " for share nowait"},
		"INSERT INTO t SELECT a FROM u FOR SHARE OF u":                             {" for share of u"},
	} {
		s, err := Default.ParseSimple(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		add := func(l *ast.Lock) {
			if l == nil || l.Type == "" {
				return
			}
			got = append(got, l.Type)
			for _, table := range l.Tables {
				if table.Name.String() == share {
					t.Errorf("%s: the syntax tree still has the table <share>", text)
				}
			}
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			switch n := n.(type) {
			case *ast.Select:
				add(n.Lock)
			case *ast.SetOp:
				add(n.Lock)
			}
			return true, nil
		}, s)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the locks %q, want %q", text, got, want)
		}
	}
}
