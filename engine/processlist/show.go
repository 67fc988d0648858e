package processlist

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/rights"
	"pfsd/engine/sysvar"
	"pfsd/instr"
	"pfsd/tables"
)

// showFull begins SHOW FULL PROCESSLIST, as opposed to SHOW PROCESSLIST.
var showFull = regexp.MustCompile(`(?i)^(?:\s|/\*.*?\*/)*SHOW\s+FULL\b`)

// infoLength is how many characters of a statement SHOW PROCESSLIST shows.
const infoLength = 100

// Columns of SHOW PROCESSLIST.
const (
	processIDColumn    = 0
	processDBColumn    = 3
	processStateColumn = 6
	processInfoColumn  = 7
	processColumns     = 8
)

// Show is SHOW PROCESSLIST. Safe for concurrent use.
type Show struct {
	List *List
	// Table is processlist of performance_schema, nil if the server does not have it.
	Table     tables.Table
	Registry  *instr.Registry
	Variables *sysvar.Server
}

// Rows returns the rows of SHOW PROCESSLIST: from the table of performance_schema where
// performance_schema_show_processlist says so.
func (s *Show) Rows(ctx *sql.Context) (sql.RowIter, error) {
	all, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r[processStateColumn] == nil {
			r[processStateColumn] = ""
		}
		info, _ := r[processInfoColumn].(string)
		switch {
		case info == "":
			r[processInfoColumn] = nil
		case len(info) > infoLength && utf8.RuneCountInString(info) > infoLength && !showFull.MatchString(ctx.Query()):
			r[processInfoColumn] = string([]rune(info)[:infoLength])
		}
	}
	return sql.RowsToRowIter(all...), nil
}

func (s *Show) rows(ctx *sql.Context) (all []sql.Row, err error) {
	if s.Table == nil || s.Variables.Global(showProcesslist) == int8(0) {
		if r := rights.Of(ctx); r != nil {
			all = s.List.rows(r)
		}
		return all, nil
	}
	if ctx.Session.Client().User == "" && !access.May(ctx, accounts.Process) {
		return nil, access.ErrNeeds(accounts.Process)
	}
	cols, values := make([]int, processColumns), make([]tables.Value, processColumns)
	for i := range cols {
		cols[i] = i
	}
	for c := s.Table.Scan(tables.Of(s.Registry), cols, nil); c.Next(values); {
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
	byProcess(all)
	return all, nil
}

// rows are the rows of SHOW PROCESSLIST for who has rights r.
func (l *List) rows(r *rights.Rights) (all []sql.Row) {
	user, only := r.OnlyUser()
	now := time.Now()
	l.each(func(q *sql.Process, thread *instr.Thread) {
		if only && q.User != user {
			return
		}
		row := sql.Row{int64(q.Connection), q.User, q.Host, nil, string(q.Command), int64(now.Sub(q.StartedAt) / time.Second), thread.State(), q.Query}
		if q.Database != "" {
			row[processDBColumn] = q.Database
		}
		all = append(all, row)
	})
	byProcess(all)
	return all
}

func byProcess(rows []sql.Row) {
	slices.SortFunc(rows, func(x, y sql.Row) int { return cmp.Compare(x[processIDColumn].(int64), y[processIDColumn].(int64)) })
}

// showProcesslist is the variable that chooses between the two.
const showProcesslist = sysvar.Prefix + "show_processlist"
