package engine

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/compat"
	"pfsd/tables"
)

// showFull begins SHOW FULL PROCESSLIST, as opposed to SHOW PROCESSLIST.
var showFull = regexp.MustCompile(`(?i)^(?:\s|/\*.*?\*/)*SHOW\s+FULL\b`)

// infoLength is how many characters of a statement SHOW PROCESSLIST shows.
const infoLength = 100

// Columns of SHOW PROCESSLIST.
const (
	processIDColumn    = 0
	processStateColumn = 6
	processInfoColumn  = 7
	processColumns     = 8
)

// processes returns the rows of SHOW PROCESSLIST: from the table of performance_schema where
// performance_schema_show_processlist says so.
func (b *builder) processes(ctx *sql.Context, n *plan.ShowProcessList, row sql.Row) (sql.RowIter, error) {
	all, err := b.processRows(ctx, n, row)
	if err != nil {
		return nil, err
	}
	full := showFull.MatchString(ctx.Query())
	for _, r := range all {
		if r[processStateColumn] == nil {
			r[processStateColumn] = ""
		}
		info, _ := r[processInfoColumn].(string)
		switch {
		case info == "":
			r[processInfoColumn] = nil
		case !full && utf8.RuneCountInString(info) > infoLength:
			r[processInfoColumn] = string([]rune(info)[:infoLength])
		}
	}
	return sql.RowsToRowIter(all...), nil
}

func (b *builder) processRows(ctx *sql.Context, n *plan.ShowProcessList, row sql.Row) (all []sql.Row, err error) {
	if b.processlist == nil || b.variables.global(showProcesslist) == int8(0) {
		rows, err := b.plain.Build(ctx, n, row)
		if err != nil {
			return nil, err
		}
		return sql.RowIterToRows(ctx, compat.ShowProcesses(rows, b.state))
	}
	if ctx.Session.Client().User == "" && !access.May(ctx, accounts.Process) {
		return nil, access.ErrNeeds(accounts.Process)
	}
	cols, values := make([]int, processColumns), make([]tables.Value, processColumns)
	for i := range cols {
		cols[i] = i
	}
	for c := b.processlist.Scan(b.variables.reg, cols, nil); c.Next(values); {
		r := make(sql.Row, processColumns)
		for i, v := range values {
			switch {
			case v.IsNull():
			case v.IsText():
				r[i] = strings.Clone(v.Str())
			default:
				r[i] = int64(v.Bits())
			}
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y sql.Row) int { return cmp.Compare(x[processIDColumn].(int64), y[processIDColumn].(int64)) })
	return all, nil
}

// showProcesslist is the variable that chooses between the two.
const showProcesslist = variablePrefix + "show_processlist"
