package profiling

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/instr"
)

// Profiles are what SHOW PROFILES and SHOW PROFILE tell of a session's statements while the variable profiling is
// on: the stages of each, and what the process has used in them. Owned by the connection's goroutine.
//
// A statement is kept if profiling is on when it begins and when it ends, and it is no SHOW PROFILE itself.
type Profiles struct {
	// on is the variable profiling; unknown after something may have changed it.
	on, unknown bool
	running     *profile // of the statement that runs; nil if it has none
	history     []*profile
	last        int32 // the last id
}

// profile is what is known of a statement. The last of its stages is where the one before ends.
type profile struct {
	id     int32
	query  string
	stages []profiledStage
}

// profiledStage is the beginning of a stage.
type profiledStage struct {
	status string
	caller uintptr // where it was started
	at     time.Time
	used   usage
}

// What profiles keep at most of a statement, of a stage's name, of a function's and of a file's, characters.
const (
	profiledQuery    = 300
	profiledStatus   = 30
	profiledFunction = 30
	profiledFile     = 20
)

// Begin notes that the statement text begins.
func (p *Profiles) Begin(ctx *sql.Context, t *instr.Thread, text string) {
	if p.unknown {
		p.look(ctx)
	}
	if !p.on {
		return
	}
	p.running = &profile{query: clipped(text, profiledQuery)}
	t.OnStage(p.running.stage)
}

// May tells whether the next statement may have a profile.
func (p *Profiles) May() bool { return p.on || p.unknown }

// Ask has the variable profiling looked at again before the next statement.
func (p *Profiles) Ask() { p.unknown = true }

// look finds out whether profiling is on.
func (p *Profiles) look(ctx *sql.Context) {
	v, err := ctx.GetSessionVariable(ctx, "profiling")
	p.on, p.unknown = err == nil && v == int8(1), false
}

// stage notes that a stage of class c begins, which caller has started; with nil, that the last one has ended.
func (p *profile) stage(c *instr.StageClass, caller uintptr) {
	s := profiledStage{status: "ending", caller: caller, at: time.Now(), used: processUsage()}
	if c != nil {
		s.status = clipped(strings.TrimPrefix(c.Class().Name(), "stage/sql/"), profiledStatus)
	}
	p.stages = append(p.stages, s)
}

// discard forgets the statement that runs.
func (p *Profiles) discard(t *instr.Thread) {
	p.running = nil
	t.OnStage(nil)
}

// End notes that the statement has ended, of which there is a profile.
func (p *Profiles) End(ctx *sql.Context, t *instr.Thread) {
	ended := p.running
	if ended == nil {
		return
	}
	p.discard(t)
	if p.unknown {
		p.look(ctx)
	}
	if !p.on || len(ended.stages) < 2 {
		return
	}
	p.last++
	ended.id = p.last
	p.history = append(p.history, ended)
	size := 0
	if v, err := ctx.GetSessionVariable(ctx, "profiling_history_size"); err == nil {
		if n, ok := v.(uint64); ok {
			size = int(n)
		}
	}
	if extra := len(p.history) - size; extra > 0 {
		p.history = append([]*profile(nil), p.history[extra:]...)
	}
}

// clipped are the first characters of a text. The rest of it is not kept in memory.
func clipped(s string, characters int) string {
	for i := range s {
		if characters--; characters < 0 {
			return strings.Clone(s[:i])
		}
	}
	return s
}

// summaries are the rows of SHOW PROFILES.
func (p *Profiles) summaries() []sql.Row {
	rows := make([]sql.Row, len(p.history))
	for i, q := range p.history {
		took := q.stages[len(q.stages)-1].at.Sub(q.stages[0].at)
		rows[i] = sql.Row{int64(q.id), decimal.New(took.Nanoseconds(), -9).Round(8), q.query}
	}
	return rows
}

// rows are those of information_schema.PROFILING, one for each stage.
func (p *Profiles) rows() (rows []sql.Row) {
	for _, q := range p.history {
		for i, s := range q.stages[:len(q.stages)-1] {
			next := q.stages[i+1]
			row := sql.Row{q.id, int32(i + 2), s.status, seconds(next.at.Sub(s.at))}
			row = append(row, next.used.since(s.used)...)
			if i == 0 {
				row = append(row, nil, nil, nil)
			} else {
				frame, _ := runtime.CallersFrames([]uintptr{s.caller}).Next()
				function := frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]
				row = append(row, clipped(function, profiledFunction), clipped(filepath.Base(frame.File), profiledFile), int32(frame.Line))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// seconds is a time as profiles show it.
func seconds(d time.Duration) decimal.Decimal { return decimal.New(d.Nanoseconds(), -9).Round(6) }

// usage is what the process has used so far: its time on processors, and how often it has waited, been interrupted,
// and so on, in the order of the columns; none where that is not known.
type usage struct {
	user, system time.Duration
	counts       [9]int64
	known        bool
}

// since are the values of the columns for what was used since before.
func (u usage) since(before usage) []any {
	values := make([]any, 2+len(u.counts))
	if !u.known || !before.known {
		return values
	}
	values[0], values[1] = seconds(u.user-before.user), seconds(u.system-before.system)
	for i, n := range u.counts {
		values[2+i] = int32(n - before.counts[i])
	}
	return values
}

// InfoRows are the rows of information_schema.PROFILING.
func InfoRows(ctx *sql.Context, _, _ string) ([]sql.Row, error) {
	deprecatedFor(ctx, "INFORMATION_SCHEMA.PROFILING")
	if p, _ := of(ctx); p != nil {
		return p.rows(), nil
	}
	return nil, nil
}

// Session is the session of a statement, which may have profiles. The ProcessList of the statement's context implements it.
type Session interface {
	// Profiles are the session's, nil if it is the server itself that works.
	Profiles() *Profiles
	Thread() *instr.Thread
}

// of are the profiles of the session of ctx, nil for none, and its thread.
func of(ctx *sql.Context) (*Profiles, *instr.Thread) {
	if s, ok := ctx.ProcessList.(Session); ok {
		if p := s.Profiles(); p != nil {
			return p, s.Thread()
		}
	}
	return nil, nil
}

// deprecatedFor warns who uses what, which MySQL has the Performance Schema for.
func deprecatedFor(ctx *sql.Context, what string) {
	ctx.Warn(1287, "'%s' is deprecated and will be removed in a future release. Please use Performance Schema instead", what)
}

// profilesSchema are the columns of SHOW PROFILES.
var profilesSchema = sql.Schema{
	{Name: "Query_ID", Type: types.Int64},
	{Name: "Duration", Type: types.MustCreateDecimalType(17, 8)},
	{Name: "Query", Type: types.MustCreateString(querypb.Type_VARCHAR, profiledQuery, sql.Collation_Default)},
}

// profileColumns are the columns of SHOW PROFILE, and of which of its types each is; they are those of
// information_schema.PROFILING from the third on.
var profileColumns = []struct{ kind, name string }{
	{"", "Status"}, {"", "Duration"}, {"CPU", "CPU_user"}, {"CPU", "CPU_system"},
	{"CONTEXT SWITCHES", "Context_voluntary"}, {"CONTEXT SWITCHES", "Context_involuntary"},
	{"BLOCK IO", "Block_ops_in"}, {"BLOCK IO", "Block_ops_out"}, {"IPC", "Messages_sent"}, {"IPC", "Messages_received"},
	{"PAGE FAULTS", "Page_faults_major"}, {"PAGE FAULTS", "Page_faults_minor"}, {"SWAPS", "Swaps"},
	{"SOURCE", "Source_function"}, {"SOURCE", "Source_file"}, {"SOURCE", "Source_line"},
}

var (
	profileTail = regexp.MustCompile(`(?i)^((?:` + profileType + `)(?:\s*,\s*(?:` + profileType + `))*)?` +
		`(?:\s*\bFOR\s+QUERY\s+(\d+))?(?:\s*\bLIMIT\s+(\d+)(?:\s*(,|OFFSET)\s*(\d+))?)?$`)
	blank = regexp.MustCompile(`\s+`)
)

const profileType = `ALL|BLOCK\s+IO|CONTEXT\s+SWITCHES|CPU|IPC|MEMORY|PAGE\s+FAULTS|SOURCE|SWAPS`

// Show makes n of SHOW PROFILE, behind which tail stands: [TYPE, ...] [FOR QUERY n] [LIMIT n].
func Show(n *nodes.Answer, tail string) error {
	m := profileTail.FindStringSubmatch(tail)
	if m == nil {
		return mysqlerr.Syntax(" near '" + tail + "'")
	}
	kinds := map[string]bool{"": true}
	for _, kind := range strings.Split(blank.ReplaceAllString(strings.ToUpper(m[1]), " "), ",") {
		kinds[strings.TrimSpace(kind)] = true
	}
	var shown []int
	for i, c := range profileColumns {
		if !kinds[c.kind] && !kinds["ALL"] {
			continue
		}
		column := &sql.Column{Name: c.name, Type: types.Int32, Nullable: c.kind != ""}
		switch {
		case c.name == "Duration", c.kind == "CPU":
			column.Type = types.MustCreateDecimalType(9, 6)
		case c.name == "Status", c.name == "Source_function":
			column.Type = types.MustCreateString(querypb.Type_VARCHAR, profiledFunction, sql.Collation_Default)
		case c.name == "Source_file":
			column.Type = types.MustCreateString(querypb.Type_VARCHAR, profiledFile, sql.Collation_Default)
		}
		shown, n.Columns = append(shown, 2+i), append(n.Columns, column)
	}
	number := func(s string, otherwise uint64) uint64 {
		if v, err := strconv.ParseUint(s, 10, 64); err == nil {
			return v
		}
		return otherwise
	}
	id, most, skip := number(m[2], 0), number(m[3], 1<<63), uint64(0)
	if m[4] == "," {
		skip, most = most, number(m[5], 1<<63)
	} else {
		skip = number(m[5], 0)
	}
	n.Rows = func(ctx *sql.Context) (rows []sql.Row, err error) {
		p, thread := of(ctx)
		if p == nil {
			return nil, nil
		}
		p.discard(thread)
		deprecatedFor(ctx, "SHOW PROFILE")
		if id == 0 {
			id = uint64(p.last)
		}
		for _, r := range p.rows() {
			if uint64(r[0].(int32)) != id {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			if uint64(len(rows)) == most {
				break
			}
			row := make(sql.Row, len(shown))
			for i, at := range shown {
				row[i] = r[at]
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
	return nil
}

// ShowAll makes n of SHOW PROFILES.
func ShowAll(n *nodes.Answer) {
	n.Columns = profilesSchema
	n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
		p, thread := of(ctx)
		if p == nil {
			return nil, nil
		}
		p.discard(thread)
		deprecatedFor(ctx, "SHOW PROFILES")
		return p.summaries(), nil
	}
}
