package compat

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// KeepSorts lets ORDER BY sort whatever comes from an index.
//
// go-mysql-server: leaves the sort out where the columns of ORDER BY are the first ones of
// the index that a table is read through, without asking whether the index has an order.
// MySQL: sorts rows that come through a hash index.
func KeepSorts(b *analyzer.Builder) (*analyzer.Builder, error) {
	for id := analyzer.RuleId(0); !strings.HasPrefix(id.String(), "RuleId("); id++ {
		if id.String() == sortRule {
			return b.RemoveOnceAfterRule(id), nil
		}
	}
	return b, errNoRule(sortRule)
}

// sortRule is the rule that leaves sorts out.
const sortRule = "replaceIdxSort"
