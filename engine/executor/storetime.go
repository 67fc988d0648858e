package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// columnTime returns a TIME with as many digits behind the point as its column has.
//
// go-mysql-server: a TIME column keeps six digits. MySQL: TIME has none, and rounds.
func columnTime(t sql.Type, span types.Timespan) types.Timespan {
	digits := 0
	if own, ok := t.(*sqlvalue.Time); ok {
		digits = own.Digits()
	}
	return sqlvalue.TimeValue(sqlvalue.Moment{HasTime: true, Micros: int64(span), Digits: sqlvalue.MaxMicro}, digits)
}
