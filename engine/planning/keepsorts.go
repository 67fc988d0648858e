package planning

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql/analyzer"
)

// KeepSorts keeps the sorts of rows that come through an index.
//
// go-mysql-server: drops a sort if it reads the table through an index that begins with the columns
// of ORDER BY, even if the index has no order. MySQL: sorts rows that come through a hash index.
func KeepSorts(b *analyzer.Builder) (*analyzer.Builder, error) { return withoutRule(b, sortRule) }

// KeepAggregates keeps MAX and MIN of the first column of a primary key.
//
// go-mysql-server: makes ORDER BY ... LIMIT 1 of them, which has no row if there is nothing to
// aggregate. MySQL: there is one row, in which they are NULL.
func KeepAggregates(b *analyzer.Builder) (*analyzer.Builder, error) {
	return withoutRule(b, aggregateRule)
}

// withoutRule returns b without the rule of this name.
func withoutRule(b *analyzer.Builder, name string) (*analyzer.Builder, error) {
	for id := analyzer.RuleId(0); !strings.HasPrefix(id.String(), "RuleId("); id++ {
		if id.String() == name {
			return b.RemoveOnceAfterRule(id), nil
		}
	}
	return b, errNoRule(name)
}

const (
	sortRule      = "replaceIdxSort" // drops sorts
	aggregateRule = "replaceAgg"     // replaces MAX and MIN
)
