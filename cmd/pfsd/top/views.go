package top

// A Column is a column of an answer: its name for people, and how its values are shown.
type Column struct {
	Name string
	Kind Kind
}

// A Query is a question to a server. The columns of its answer are those listed, in this order.
type Query struct {
	SQL     string
	Columns []Column
}

// Queries are one question to each kind of server. A nil one means that such a server has no answer.
type Queries struct{ PFSD, MySQL, MariaDB *Query }

// of returns the query for a kind of server, nil if there is none.
func (q Queries) of(f Flavour) *Query {
	switch f {
	case PFSD:
		return q.PFSD
	case MySQL:
		return q.MySQL
	}
	return q.MariaDB
}

// everywhere is the same question to each kind of server.
func everywhere(q *Query) Queries { return Queries{q, q, q} }

// A View is a page of the screen: one question, and what Enter asks about a row of it.
type View struct {
	Name, Key, Title string
	Queries          Queries
	Windowed         bool      // the question has two parameters, the ends of a period of time in UTC
	Connection       string    // the column with the id that KILL takes, "" if there is none
	Drill            []Section // what Enter shows below the values of the row
}

// A Section is a question about a row.
type Section struct {
	Title   string
	Row     []string // the row's columns whose values are the parameters
	Queries Queries
}

const (
	// notOwn leaves out the thread t of this program.
	notOwn = ` (t.PROCESSLIST_ID IS NULL OR t.PROCESSLIST_ID <> CONNECTION_ID()) `
	// window are the samples of a period, without those of this program. Before the program connected, and even more before the server
	// started, its thread's number was that of another one.
	window = ` FROM performance_schema.active_session_history h WHERE h.SAMPLE_TIME >= ? AND h.SAMPLE_TIME < ? AND (h.THREAD_ID <> IFNULL(PS_CURRENT_THREAD_ID(), 0) OR h.SAMPLE_TIME < @pfsd_top_since) `
	// innermost joins thread t with the wait w that it is in.
	innermost = ` LEFT JOIN (SELECT THREAD_ID, MAX(EVENT_ID) AS EVENT_ID FROM performance_schema.events_waits_current WHERE END_EVENT_ID IS NULL GROUP BY THREAD_ID) i ON i.THREAD_ID = t.THREAD_ID
 LEFT JOIN performance_schema.events_waits_current w ON w.THREAD_ID = i.THREAD_ID AND w.EVENT_ID = i.EVENT_ID `
	// inStatement are the events e of a statement, whose thread and number are the parameters.
	inStatement = ` WHERE e.THREAD_ID = ? AND e.EVENT_ID > ? AND e.EVENT_ID <= IFNULL((SELECT MAX(h.END_EVENT_ID) FROM performance_schema.events_statements_history h WHERE h.THREAD_ID = ? AND h.EVENT_ID = ?), 18446744073709551615) `
)

// Views are the pages, in the order of the screen.
var Views = []View{
	{Name: "load", Key: "1", Title: "Average active threads over time, and what they waited for", Windowed: true, Queries: Queries{PFSD: &topWaits}},
	{Name: "statements", Key: "2", Title: "Statements that run now", Connection: "conn", Drill: []Section{stages, waits}, Queries: Queries{&statements, &statements, &processes}},
	{Name: "waits", Key: "3", Title: "Threads that wait, and who is in their way", Connection: "conn", Drill: []Section{blockerStatement, stagesOfThread, waitsOfThread}, Queries: Queries{&waiting, &waitingPlain, &waitingPlain}},
	{Name: "locks", Key: "4", Title: "Locks that are held, and by whom", Drill: []Section{stagesOfThread, waitsOfThread}, Queries: Queries{&held, &heldMySQL, &heldMariaDB}, Connection: "conn"},
	{Name: "digests", Key: "5", Title: "Statements by digest, those that took most time first", Queries: everywhere(&digests), Drill: []Section{digestWaits}},
	{Name: "files", Key: "6", Title: "Files, those that took most time first", Queries: everywhere(&files)},
	{Name: "sockets", Key: "7", Title: "Sockets, those with most bytes first", Queries: everywhere(&sockets)},
	{Name: "memory", Key: "8", Title: "Memory by what it is used for", Queries: everywhere(&memory)},
	{Name: "users", Key: "9", Title: "Users, and what they cost", Queries: everywhere(&users)},
	{Name: "processes", Key: "p", Title: "Connections", Connection: "conn", Queries: everywhere(&processes)},
	{Name: "top-statements", Key: "s", Title: "Statements of a period, by the time that threads were active in them", Windowed: true, Queries: Queries{PFSD: &topStatements}, Drill: []Section{digestWaits}},
	{Name: "blockers", Key: "b", Title: "Threads that were in the way of others in a period", Windowed: true, Queries: Queries{PFSD: &blockers}, Drill: []Section{statementOfThread}},
}

// loadNow is how many connections are active at this moment, for servers that do not remember it.
const loadNow = `SELECT UNIX_TIMESTAMP() AS point, IF(p.COMMAND = 'Query', IF(p.STATE IS NULL OR p.STATE = '', 'CPU*', p.STATE), p.COMMAND) AS wait_class, COUNT(*) AS active
 FROM information_schema.PROCESSLIST p WHERE p.ID <> CONNECTION_ID() AND p.COMMAND NOT IN ('Sleep', 'Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Connect')
 GROUP BY wait_class LIMIT 1000`

// viewNamed returns the view with a name.
func viewNamed(name string) (View, bool) {
	for _, v := range Views {
		if v.Name == name {
			return v, true
		}
	}
	return View{}, false
}
