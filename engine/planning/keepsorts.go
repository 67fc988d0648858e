package planning

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// KeepSorts keeps the sorts of rows that come through an index.
//
// go-mysql-server: drops a sort if it reads the table through an index that begins with the columns
// of ORDER BY, even if the index has no order. MySQL: sorts rows that come through a hash index.
func KeepSorts(b *analyzer.Builder) (*analyzer.Builder, error) {
	for id := analyzer.RuleId(0); !strings.HasPrefix(id.String(), "RuleId("); id++ {
		if id.String() == sortRule {
			return b.RemoveOnceAfterRule(id), nil
		}
	}
	return b, errNoRule(sortRule)
}

// sortRule is the rule that drops sorts.
const sortRule = "replaceIdxSort"
