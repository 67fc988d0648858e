package sysschema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/functions"
	"pfsd/engine/moment"
	"pfsd/tables"
)

// threadFunctions are the functions of sys about one thread.
var threadFunctions = []Function{
	{
		Name: "ps_is_thread_instrumented", Params: []Parameter{{"in_connection_id", bigUnsigned}}, Returns: yesNoUnknown, Data: readsData, Varies: true,
		Doc:   "Whether the thread of a connection is instrumented; UNKNOWN if there is no such connection.",
		reads: []string{"performance_schema.threads"},
		do: func(_ *sql.Context, s *Server, args []any) (any, error) {
			id, ok := args[0].(uint64)
			if !ok {
				return nil, nil
			}
			if t := s.Model.ThreadByProcess(id); t != nil && id != 0 {
				if info, ok := t.Snapshot(); ok && info.Instrumented {
					return "YES", nil
				} else if ok {
					return "NO", nil
				}
			}
			return "UNKNOWN", nil
		},
	},
	{
		Name: "ps_thread_account", Params: []Parameter{{"in_thread_id", bigUnsigned}}, Returns: textKind, Data: readsData, Varies: true,
		Doc:   "The account of a thread, user@host; BACKGROUND for one that is no client's.",
		reads: []string{"performance_schema.threads"},
		do: func(_ *sql.Context, s *Server, args []any) (any, error) {
			id, ok := args[0].(uint64)
			if !ok {
				return nil, nil
			}
			t := s.Model.ThreadByID(id)
			if t == nil {
				return nil, nil
			}
			info, ok := t.Snapshot()
			switch {
			case !ok:
				return nil, nil
			case info.Process == 0:
				return "BACKGROUND", nil
			case info.Account.User == "" && info.Account.Host == "":
				return nil, nil
			}
			return info.Account.User + "@" + info.Account.Host, nil
		},
	},
	{
		Name: "ps_thread_id", Params: []Parameter{{"in_connection_id", bigUnsigned}}, Returns: bigUnsigned, Data: readsData, Varies: true,
		Doc: "The thread of a connection; for NULL, that of the session.",
		do: func(ctx *sql.Context, _ *Server, args []any) (any, error) {
			if args[0] == nil {
				return functions.ThreadID(ctx), nil
			}
			return functions.ThreadOf(ctx, args[0]), nil
		},
	},
	{
		Name: "ps_thread_stack", Params: []Parameter{{"thd_id", bigUnsigned}, {"debug", boolean}}, Returns: latin1, Data: readsData, Varies: true,
		Doc: "The statements, stages and waits of a thread that the events_*_history_long tables have, as JSON.",
		reads: []string{
			"performance_schema.events_statements_history_long", "performance_schema.events_stages_history_long", "performance_schema.events_waits_history_long",
		},
		do: func(ctx *sql.Context, s *Server, args []any) (any, error) {
			debug := args[1] != nil && args[1] != int8(0)
			return s.threadStack(ctx, args[0], debug)
		},
	},
	{
		Name: "ps_thread_trx_info", Params: []Parameter{{"in_thread_id", bigUnsigned}}, Returns: longText, Data: readsData, Varies: true,
		Doc: "The last transactions of a thread and the statements in them, as JSON.",
		reads: []string{
			"performance_schema.events_transactions_current", "performance_schema.events_transactions_history",
			"performance_schema.events_statements_history", "performance_schema.events_statements_current",
		},
		do: func(ctx *sql.Context, s *Server, args []any) (any, error) { return s.transactionInfo(ctx, args[0]) },
	},
}

// eventRow is a row of a table of events, by the names of its columns.
type eventRow map[string]tables.Value

func (r eventRow) number(column string) uint64 { return r[column].Bits() }

func (r eventRow) text(column string) string { return r[column].Str() }

// eventsOf returns the rows of a thread from tables of performance_schema, by EVENT_ID. It returns
// an event once even if two tables have it.
func (s *Server) eventsOf(thread any, names ...string) (all []eventRow) {
	id, ok := thread.(uint64)
	if !ok {
		return nil
	}
	for _, name := range names {
		def := s.Table(name)
		if def == nil {
			continue
		}
		columns := def.Columns()
		cols, values := make([]int, len(columns)), make([]tables.Value, len(columns))
		for i := range cols {
			cols[i] = i
		}
		key := tables.Key{{Column: "THREAD_ID", Value: tables.Uint(id)}}
		for c := def.Scan(s.Model, cols, key); c.Next(values); {
			row := eventRow{}
			for i, v := range values {
				if v.IsText() {
					v = tables.Text(strings.Clone(v.Str()))
				}
				row[columns[i].Name] = v
			}
			if row.number("THREAD_ID") == id {
				all = append(all, row)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y eventRow) int { return cmp.Compare(x.number("EVENT_ID"), y.number("EVENT_ID")) })
	return slices.CompactFunc(all, func(x, y eventRow) bool { return x.number("EVENT_ID") == y.number("EVENT_ID") })
}

// threadStack is the function PS_THREAD_STACK.
func (s *Server) threadStack(ctx *sql.Context, thread any, debug bool) (any, error) {
	type event struct {
		Nesting string   `json:"nesting_event_id"`
		ID      string   `json:"event_id"`
		Wait    *float64 `json:"timer_wait,omitempty"` // microseconds
		Info    string   `json:"event_info"`
		More    string   `json:"wait_info"`
		Source  string   `json:"source"`
		Type    string   `json:"event_type"`
	}
	stack := struct {
		Direction  string  `json:"rankdir"`
		Separation string  `json:"nodesep"`
		Created    string  `json:"stack_created"`
		Version    string  `json:"mysql_version"`
		User       string  `json:"mysql_user"`
		Events     []event `json:"events"`
	}{"LR", "0.10", ctx.QueryTime().In(moment.Zone(ctx)).Format(time.DateTime), s.Version, functions.Account(ctx), []event{}}
	for _, row := range s.eventsOf(thread, "events_statements_history_long", "events_stages_history_long", "events_waits_history_long") {
		e := event{Nesting: "0", ID: strconv.FormatUint(row.number("EVENT_ID"), 10), Info: eventInfo(row), Type: eventType(row.text("EVENT_NAME"))}
		if row.text("NESTING_EVENT_TYPE") != "TRANSACTION" {
			e.Nesting = strconv.FormatUint(row.number("NESTING_EVENT_ID"), 10)
		}
		if wait := row["TIMER_WAIT"]; !wait.IsNull() {
			us := math.Round(float64(wait.Bits())/1e4) / 100
			e.Wait = &us
		}
		if strings.HasPrefix(row.text("EVENT_NAME"), "statement/") {
			e.More = statementInfo(row)
		}
		if debug {
			e.Source = row.text("SOURCE")
		}
		stack.Events = append(stack.Events, e)
	}
	return marshal(stack, "")
}

// marshal returns a value as JSON in which all characters stand for themselves, without escapes for
// HTML.
func marshal(v any, indent string) (string, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// eventTypes maps the prefix of an instrument's name to the type of its events in a graph.
var eventTypes = []struct{ prefix, kind string }{
	{"wait/io/file", "io/file"}, {"wait/io/table", "io/table"}, {"wait/io/socket", "io/socket"},
	{"wait/synch/mutex", "synch/mutex"}, {"wait/synch/cond", "synch/cond"}, {"wait/synch/rwlock", "synch/rwlock"},
	{"wait/lock", "lock"}, {"statement/", "stmt"}, {"stage/", "stage"}, {"transaction", "transaction"}, {"idle", "idle"},
}

func eventType(name string) string {
	for _, t := range eventTypes {
		if strings.HasPrefix(name, t.prefix) {
			return t.kind
		}
	}
	return ""
}

// eventInfo describes an event in a few words.
func eventInfo(row eventRow) string {
	name := row.text("EVENT_NAME")
	parts := strings.Split(name, "/")
	info := strings.Join(parts[max(0, len(parts)-2):], "/")
	if !strings.HasPrefix(name, "wait/") && name != "idle" {
		return info
	}
	if op := row.text("OPERATION"); op != "" {
		info += " - " + op
	}
	if n := row["NUMBER_OF_BYTES"]; strings.HasPrefix(name, "wait/io/") && !n.IsNull() {
		unit := " bytes"
		if strings.HasPrefix(name, "wait/io/table/") {
			unit = " rows"
		}
		info += " " + strconv.FormatUint(n.Bits(), 10) + unit
	}
	if object := row.text("OBJECT_NAME"); object != "" {
		if schema := row.text("OBJECT_SCHEMA"); schema != "" {
			object = schema + "." + object
		}
		info += "\n" + object
	}
	if index := row.text("INDEX_NAME"); index != "" {
		info += " Index: " + index
	}
	return info
}

// statementInfo returns a statement and its counts, one on each line.
func statementInfo(row eventRow) string {
	text := row.text("SQL_TEXT")
	if text == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(text)
	lock := math.Round(float64(row.number("LOCK_TIME"))/1e4) / 100
	fmt.Fprintf(&b, "\nerrors: %d\nwarnings: %d\nlock time: %.2fus", row.number("ERRORS"), row.number("WARNINGS"), lock)
	for _, column := range []string{
		"ROWS_AFFECTED", "ROWS_SENT", "ROWS_EXAMINED", "CREATED_TMP_TABLES", "CREATED_TMP_DISK_TABLES", "SELECT_SCAN", "SELECT_FULL_JOIN",
		"SELECT_FULL_RANGE_JOIN", "SELECT_RANGE", "SELECT_RANGE_CHECK", "SORT_MERGE_PASSES", "SORT_ROWS", "SORT_RANGE", "SORT_SCAN",
	} {
		label := strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(column, "_", " ")), "created ")
		fmt.Fprintf(&b, "\n%s: %d", label, row.number(column))
	}
	for _, column := range []string{"NO_INDEX_USED", "NO_GOOD_INDEX_USED"} {
		label := strings.ToLower(strings.ReplaceAll(column, "_", " "))
		fmt.Fprintf(&b, "\n%s: %s", label, strings.ToUpper(strconv.FormatBool(row.number(column) != 0)))
	}
	b.WriteByte('\n')
	return b.String()
}

// transactionInfo is the function PS_THREAD_TRX_INFO.
func (s *Server) transactionInfo(ctx *sql.Context, thread any) (any, error) {
	type statement struct {
		Text     any    `json:"sql_text"`
		Time     any    `json:"time"`
		Schema   any    `json:"schema"`
		Examined uint64 `json:"rows_examined"`
		Affected uint64 `json:"rows_affected"`
		Sent     uint64 `json:"rows_sent"`
		Tables   uint64 `json:"tmp_tables"`
		Disk     uint64 `json:"tmp_disk_tables"`
		Sorted   uint64 `json:"sort_rows"`
		Merges   uint64 `json:"sort_merge_passes"`
	}
	type transaction struct {
		Time          any         `json:"time"`
		State         any         `json:"state"`
		Mode          any         `json:"mode"`
		Autocommitted any         `json:"autocommitted"`
		GTID          any         `json:"gtid"`
		Isolation     any         `json:"isolation"`
		Statements    []statement `json:"statements_executed"`
	}
	setting, err := s.setting(ctx, "ps_thread_trx_info.max_length", "65535")
	if err != nil {
		return nil, err
	}
	truncate, err := s.setting(ctx, "statement_truncate_len", "64")
	if err != nil {
		return nil, err
	}
	orNull := func(v tables.Value) any {
		if v.IsNull() {
			return nil
		}
		return v.Str()
	}
	wait := func(row eventRow) any {
		if v := row["TIMER_WAIT"]; !v.IsNull() {
			return strings.TrimSpace(functions.FormatPicoTime(float64(v.Bits())))
		}
		return nil
	}
	statements := s.eventsOf(thread, "events_statements_history", "events_statements_current")
	var all []transaction
	for _, row := range s.eventsOf(thread, "events_transactions_history", "events_transactions_current") {
		t := transaction{
			Time: wait(row), State: orNull(row["STATE"]), Mode: orNull(row["ACCESS_MODE"]), Autocommitted: orNull(row["AUTOCOMMIT"]),
			GTID: orNull(row["GTID"]), Isolation: orNull(row["ISOLATION_LEVEL"]), Statements: []statement{},
		}
		for _, of := range statements {
			if of.text("NESTING_EVENT_TYPE") != "TRANSACTION" || of.number("NESTING_EVENT_ID") != row.number("EVENT_ID") {
				continue
			}
			text := orNull(of["SQL_TEXT"])
			if text != nil {
				text = formatStatement(text.(string), truncate)
			}
			t.Statements = append(t.Statements, statement{
				text, wait(of), orNull(of["CURRENT_SCHEMA"]), of.number("ROWS_EXAMINED"), of.number("ROWS_AFFECTED"), of.number("ROWS_SENT"),
				of.number("CREATED_TMP_TABLES"), of.number("CREATED_TMP_DISK_TABLES"), of.number("SORT_ROWS"), of.number("SORT_MERGE_PASSES"),
			})
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, nil
	}
	text, err := marshal(all, "  ")
	if limit := numberOf(setting); err == nil && float64(len(text)) > limit {
		cut := 1
		for part := ""; cut < len(all); cut++ {
			if part, err = marshal(all[:cut], "  "); err != nil || float64(len(part)) > limit {
				break
			}
		}
		return fmt.Sprintf(`{ "error": "Trx info truncated: Row %d was cut by GROUP_CONCAT()" }`, cut), err
	}
	return text, err
}
