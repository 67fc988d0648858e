package top

// What runs and waits now.
var (
	statements = Query{`SELECT t.PROCESSLIST_ID, t.THREAD_ID, e.EVENT_ID, IF(t.PROCESSLIST_USER IS NULL, t.NAME, CONCAT(t.PROCESSLIST_USER, '@', t.PROCESSLIST_HOST)), e.CURRENT_SCHEMA,
 e.TIMER_WAIT, e.LOCK_TIME, e.ROWS_EXAMINED, e.ROWS_SENT, w.EVENT_NAME, w.SOURCE, LEFT(e.SQL_TEXT, 2000)
 FROM performance_schema.events_statements_current e JOIN performance_schema.threads t ON t.THREAD_ID = e.THREAD_ID` + innermost +
		`WHERE e.END_EVENT_ID IS NULL AND` + notOwn + `ORDER BY e.TIMER_WAIT DESC LIMIT 200`,
		[]Column{{"conn", Count}, {"thread", Count}, {"event", Count}, {"user", Text}, {"db", Text}, {"running", Time}, {"locked", Time}, {"examined", Count}, {"sent", Count}, {"waits for", Text}, {"source", Text}, {"statement", Text}}}

	processes = Query{`SELECT p.ID, CONCAT(p.USER, '@', p.HOST), p.DB, p.COMMAND, p.TIME, p.STATE, LEFT(p.INFO, 2000)
 FROM information_schema.PROCESSLIST p WHERE p.ID <> CONNECTION_ID() ORDER BY p.COMMAND IN ('Sleep', 'Daemon'), p.TIME DESC LIMIT 200`,
		[]Column{{"conn", Count}, {"user", Text}, {"db", Text}, {"command", Text}, {"time", Seconds}, {"state", Text}, {"statement", Text}}}

	// Those that somebody is in the way of come first. The LIMIT inside has the server look for no more than these.
	waiting = Query{"SELECT w.conn_id, w.thread_id, w.thread, w.waiting, w.waits_for, w.object, w.waits_at, w.started_at, w.blocking_thread_id, w.blocking_thread, w.blocking_locked_at, w.blocking_held, w.blocking_waits_for, w.blocking_waits_at, w.certain, w.event FROM (SELECT * FROM sys.`x$what_waits` LIMIT 300) w WHERE w.conn_id IS NULL OR w.conn_id <> CONNECTION_ID() LIMIT 200",
		[]Column{{"conn", Count}, {"thread", Count}, {"name", Text}, {"waiting", Time}, {"waits for", Text}, {"object", Text}, {"source", Text}, {"started at", Text},
			{"blocker", Count}, {"blocker name", Text}, {"locked at", Text}, {"held", Time}, {"blocker waits for", Text}, {"blocker waits at", Text}, {"certain", Text}, {"instrument", Text}}}

	waitingPlain = Query{`SELECT t.PROCESSLIST_ID, t.THREAD_ID, t.NAME, w.TIMER_WAIT, w.EVENT_NAME, CONCAT_WS('.', w.OBJECT_SCHEMA, w.OBJECT_NAME, w.INDEX_NAME), w.SOURCE
 FROM performance_schema.events_waits_current w JOIN performance_schema.threads t ON t.THREAD_ID = w.THREAD_ID
 WHERE w.END_EVENT_ID IS NULL AND w.EVENT_NAME <> 'idle' AND` + notOwn + `ORDER BY w.TIMER_WAIT DESC LIMIT 200`,
		[]Column{{"conn", Count}, {"thread", Count}, {"name", Text}, {"waiting", Time}, {"waits for", Text}, {"object", Text}, {"source", Text}}}

	held = Query{`SELECT t.PROCESSLIST_ID, l.thread, t.NAME, l.held, l.event, l.object, l.mode, l.source, l.waiters, LEFT(t.PROCESSLIST_INFO, 2000)
 FROM (SELECT h.OWNER_THREAD_ID AS thread, h.TIMER_HELD AS held, h.EVENT_NAME AS event, NULL AS object, h.LOCK_MODE AS mode, h.SOURCE AS source,
  (SELECT COUNT(DISTINCT b.REQUESTING_THREAD_ID) FROM performance_schema.lock_waits b WHERE b.OBJECT_INSTANCE_BEGIN = h.OBJECT_INSTANCE_BEGIN) AS waiters
  FROM performance_schema.held_locks h
  UNION ALL
  SELECT m.OWNER_THREAD_ID, NULL, 'wait/lock/metadata/sql/mdl', CONCAT_WS('.', m.OBJECT_SCHEMA, m.OBJECT_NAME), m.LOCK_TYPE, m.SOURCE, NULL
  FROM performance_schema.metadata_locks m WHERE m.LOCK_STATUS = 'GRANTED'
  UNION ALL
  SELECT d.THREAD_ID, NULL, 'wait/lock/row/sql/handler', CONCAT_WS('.', d.OBJECT_SCHEMA, d.OBJECT_NAME, d.INDEX_NAME, d.LOCK_DATA), d.LOCK_MODE, NULL, NULL
  FROM performance_schema.data_locks d WHERE d.LOCK_STATUS = 'GRANTED') l
 LEFT JOIN performance_schema.threads t ON t.THREAD_ID = l.thread
 WHERE` + notOwn + `ORDER BY l.waiters DESC, l.held DESC LIMIT 200`,
		[]Column{{"conn", Count}, {"thread", Count}, {"name", Text}, {"held", Time}, {"lock", Text}, {"object", Text}, {"mode", Text}, {"locked at", Text}, {"waiters", Count}, {"statement", Text}}}

	heldMySQL = Query{`SELECT t.PROCESSLIST_ID, l.thread, t.NAME, l.kind, l.object, l.mode, l.status, LEFT(t.PROCESSLIST_INFO, 2000)
 FROM (SELECT m.OWNER_THREAD_ID AS thread, 'metadata' AS kind, CONCAT_WS('.', m.OBJECT_SCHEMA, m.OBJECT_NAME) AS object, m.LOCK_TYPE AS mode, m.LOCK_STATUS AS status
  FROM performance_schema.metadata_locks m
  UNION ALL
  SELECT d.THREAD_ID, d.LOCK_TYPE, CONCAT_WS('.', d.OBJECT_SCHEMA, d.OBJECT_NAME, d.INDEX_NAME, d.LOCK_DATA), d.LOCK_MODE, d.LOCK_STATUS
  FROM performance_schema.data_locks d) l
 LEFT JOIN performance_schema.threads t ON t.THREAD_ID = l.thread
 WHERE` + notOwn + `ORDER BY l.status DESC LIMIT 200`,
		[]Column{{"conn", Count}, {"thread", Count}, {"name", Text}, {"lock", Text}, {"object", Text}, {"mode", Text}, {"status", Text}, {"statement", Text}}}

	heldMariaDB = Query{`SELECT b.trx_mysql_thread_id, r.trx_mysql_thread_id, k.lock_table, k.lock_index, k.lock_mode, TIMESTAMPDIFF(SECOND, r.trx_wait_started, NOW()), LEFT(r.trx_query, 2000), LEFT(b.trx_query, 2000)
 FROM information_schema.INNODB_LOCK_WAITS w JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id
 JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id JOIN information_schema.INNODB_LOCKS k ON k.lock_id = w.blocking_lock_id
 ORDER BY r.trx_wait_started LIMIT 200`,
		[]Column{{"conn", Count}, {"waiter", Count}, {"table", Text}, {"index", Text}, {"mode", Text}, {"waiting", Seconds}, {"waiting statement", Text}, {"statement", Text}}}
)

// What has been counted since the server started, or since a TRUNCATE.
var (
	digests = Query{`SELECT d.SCHEMA_NAME, d.COUNT_STAR, d.SUM_TIMER_WAIT, d.AVG_TIMER_WAIT, d.MAX_TIMER_WAIT, d.SUM_LOCK_TIME, d.SUM_ROWS_EXAMINED, d.SUM_ROWS_SENT, d.SUM_ERRORS, d.DIGEST, LEFT(d.DIGEST_TEXT, 2000)
 FROM performance_schema.events_statements_summary_by_digest d ORDER BY d.SUM_TIMER_WAIT DESC LIMIT 200`,
		[]Column{{"db", Text}, {"count", Count}, {"total", Time}, {"average", Time}, {"longest", Time}, {"locked", Time}, {"examined", Count}, {"sent", Count}, {"errors", Count}, {"digest", Text}, {"statement", Text}}}

	files = Query{`SELECT f.SUM_TIMER_WAIT, f.COUNT_READ, f.SUM_NUMBER_OF_BYTES_READ, f.SUM_TIMER_READ, f.COUNT_WRITE, f.SUM_NUMBER_OF_BYTES_WRITE, f.SUM_TIMER_WRITE, f.MAX_TIMER_WAIT, f.EVENT_NAME, f.FILE_NAME
 FROM performance_schema.file_summary_by_instance f ORDER BY f.SUM_TIMER_WAIT DESC LIMIT 200`,
		[]Column{{"total", Time}, {"reads", Count}, {"read", Bytes}, {"read time", Time}, {"writes", Count}, {"written", Bytes}, {"write time", Time}, {"longest", Time}, {"event", Text}, {"file", Text}}}

	sockets = Query{`SELECT i.IP, i.PORT, i.STATE, i.THREAD_ID, s.COUNT_READ, s.SUM_NUMBER_OF_BYTES_READ, s.COUNT_WRITE, s.SUM_NUMBER_OF_BYTES_WRITE, s.SUM_TIMER_WAIT, s.EVENT_NAME
 FROM performance_schema.socket_summary_by_instance s JOIN performance_schema.socket_instances i ON i.OBJECT_INSTANCE_BEGIN = s.OBJECT_INSTANCE_BEGIN
 LEFT JOIN performance_schema.threads t ON t.THREAD_ID = i.THREAD_ID WHERE` + notOwn + `ORDER BY s.SUM_NUMBER_OF_BYTES_READ + s.SUM_NUMBER_OF_BYTES_WRITE DESC LIMIT 200`,
		[]Column{{"address", Text}, {"port", Count}, {"state", Text}, {"thread", Count}, {"reads", Count}, {"read", Bytes}, {"writes", Count}, {"written", Bytes}, {"total", Time}, {"event", Text}}}

	memory = Query{`SELECT m.CURRENT_NUMBER_OF_BYTES_USED, m.CURRENT_COUNT_USED, m.HIGH_NUMBER_OF_BYTES_USED, m.HIGH_COUNT_USED, m.COUNT_ALLOC, m.SUM_NUMBER_OF_BYTES_ALLOC, m.EVENT_NAME
 FROM performance_schema.memory_summary_global_by_event_name m WHERE m.COUNT_ALLOC > 0 OR m.CURRENT_NUMBER_OF_BYTES_USED > 0 ORDER BY m.CURRENT_NUMBER_OF_BYTES_USED DESC LIMIT 200`,
		[]Column{{"current", Bytes}, {"blocks", Count}, {"most", Bytes}, {"most blocks", Count}, {"allocations", Count}, {"allocated", Bytes}, {"event", Text}}}

	users = Query{`SELECT IFNULL(a.USER, 'background'), a.now, a.total, s.n, s.t, w.n, w.t
 FROM (SELECT USER, SUM(CURRENT_CONNECTIONS) AS now, SUM(TOTAL_CONNECTIONS) AS total FROM performance_schema.accounts GROUP BY USER) a
 LEFT JOIN (SELECT USER, SUM(COUNT_STAR) AS n, SUM(SUM_TIMER_WAIT) AS t FROM performance_schema.events_statements_summary_by_user_by_event_name GROUP BY USER) s ON s.USER <=> a.USER
 LEFT JOIN (SELECT USER, SUM(COUNT_STAR) AS n, SUM(SUM_TIMER_WAIT) AS t FROM performance_schema.events_waits_summary_by_user_by_event_name WHERE EVENT_NAME <> 'idle' GROUP BY USER) w ON w.USER <=> a.USER
 ORDER BY s.t DESC LIMIT 200`,
		[]Column{{"user", Text}, {"connections", Count}, {"ever", Count}, {"statements", Count}, {"statement time", Time}, {"waits", Count}, {"wait time", Time}}}
)

// What threads were doing in a period of time.
var (
	topWaits = Query{`SELECT SUM(h.WEIGHT) AS seconds, COUNT(DISTINCT h.THREAD_ID) AS threads, h.WAIT_CLASS AS wait_class, h.EVENT_NAME AS event, h.OBJECT_NAME AS object, h.SOURCE AS source` + window +
		`GROUP BY wait_class, event, object, source ORDER BY seconds DESC LIMIT 100`,
		[]Column{{"active", Seconds}, {"threads", Count}, {"class", Text}, {"event", Text}, {"object", Text}, {"source", Text}}}

	// A request has the time of the statements inside of it, too.
	topStatements = Query{`SELECT SUM(s.seconds) AS seconds, SUM(s.waiting) AS waiting, MAX(s.threads) AS threads, s.db AS db, MAX(s.digest) AS digest, LEFT(MAX(s.text), 2000) AS text FROM (
 SELECT IFNULL(h.DIGEST, h.STATEMENT_EVENT_NAME) AS id, SUM(h.WEIGHT) AS seconds, SUM(IF(h.STATE = 'WAIT', h.WEIGHT, 0)) AS waiting, COUNT(DISTINCT h.THREAD_ID) AS threads, h.CURRENT_SCHEMA AS db, h.DIGEST AS digest, MAX(IFNULL(h.DIGEST_TEXT, h.STATEMENT_EVENT_NAME)) AS text` + window +
		`AND h.STATEMENT_EVENT_ID IS NOT NULL GROUP BY h.DIGEST, h.STATEMENT_EVENT_NAME, db UNION ALL
 SELECT IFNULL(h.REQUEST_DIGEST, h.REQUEST_EVENT_NAME), SUM(h.WEIGHT), SUM(IF(h.STATE = 'WAIT', h.WEIGHT, 0)), COUNT(DISTINCT h.THREAD_ID), h.REQUEST_SCHEMA AS db, h.REQUEST_DIGEST, MAX(IFNULL(h.REQUEST_DIGEST_TEXT, h.REQUEST_EVENT_NAME))` + window +
		`AND h.NESTED = 'YES' GROUP BY h.REQUEST_DIGEST, h.REQUEST_EVENT_NAME, db) s WHERE s.id IS NOT NULL GROUP BY s.id, s.db ORDER BY seconds DESC LIMIT 100`,
		[]Column{{"active", Seconds}, {"waiting", Seconds}, {"threads", Count}, {"db", Text}, {"digest", Text}, {"statement", Text}}}

	blockers = Query{`SELECT SUM(h.WEIGHT) AS seconds, COUNT(DISTINCT h.THREAD_ID) AS blocked, h.BLOCKING_THREAD_ID AS thread, IF(h.BLOCKING_USER IS NULL, h.BLOCKING_THREAD_NAME, CONCAT(h.BLOCKING_USER, '@', h.BLOCKING_HOST)) AS user, LEFT(h.BLOCKING_DIGEST_TEXT, 2000) AS text, h.BLOCKING_SOURCE AS locked_at, h.BLOCKING_EVENT_NAME AS waits_for, h.EVENT_NAME AS event, h.OBJECT_NAME AS object` + window +
		`AND h.BLOCKING_THREAD_ID IS NOT NULL GROUP BY thread, user, text, locked_at, waits_for, event, object ORDER BY seconds DESC LIMIT 100`,
		[]Column{{"blocked", Seconds}, {"threads", Count}, {"thread", Count}, {"user", Text}, {"statement", Text}, {"locked at", Text}, {"waits for", Text}, {"lock", Text}, {"object", Text}}}
)

// What Enter shows of a row.
var (
	stageColumns = []Column{{"took", Time}, {"stage", Text}, {"source", Text}, {"done", Count}, {"of", Count}}
	waitColumns  = []Column{{"took", Time}, {"wait", Text}, {"source", Text}, {"object", Text}, {"operation", Text}, {"bytes", Bytes}}

	stageFields = `SELECT e.TIMER_WAIT, e.EVENT_NAME, e.SOURCE, e.WORK_COMPLETED, e.WORK_ESTIMATED FROM (SELECT * FROM performance_schema.events_stages_current UNION SELECT * FROM performance_schema.events_stages_history) e`
	waitFields  = `SELECT e.TIMER_WAIT, e.EVENT_NAME, e.SOURCE, CONCAT_WS('.', e.OBJECT_SCHEMA, e.OBJECT_NAME, e.INDEX_NAME), e.OPERATION, e.NUMBER_OF_BYTES FROM (SELECT * FROM performance_schema.events_waits_current UNION SELECT * FROM performance_schema.events_waits_history) e`

	stages = Section{"Its stages, the last one first", []string{"thread", "event", "thread", "event"},
		Queries{PFSD: &Query{stageFields + inStatement + `ORDER BY e.EVENT_ID DESC LIMIT 50`, stageColumns}, MySQL: &Query{stageFields + inStatement + `ORDER BY e.EVENT_ID DESC LIMIT 50`, stageColumns}}}
	waits = Section{"Its waits, the last one first", []string{"thread", "event", "thread", "event"},
		Queries{PFSD: &Query{waitFields + inStatement + `ORDER BY e.EVENT_ID DESC LIMIT 50`, waitColumns}, MySQL: &Query{waitFields + inStatement + `ORDER BY e.EVENT_ID DESC LIMIT 50`, waitColumns}}}

	stagesOfThread = Section{"Stages of the thread, the last one first", []string{"thread"},
		everywhere(&Query{stageFields + ` WHERE e.THREAD_ID = ? ORDER BY e.EVENT_ID DESC LIMIT 50`, stageColumns})}
	waitsOfThread = Section{"Waits of the thread, the last one first", []string{"thread"},
		everywhere(&Query{waitFields + ` WHERE e.THREAD_ID = ? ORDER BY e.EVENT_ID DESC LIMIT 50`, waitColumns})}

	statementOf = Query{`SELECT e.TIMER_WAIT, IF(e.END_EVENT_ID IS NULL, 'runs', 'has ended'), e.SOURCE, LEFT(e.SQL_TEXT, 10000) FROM performance_schema.events_statements_current e WHERE e.THREAD_ID = ? ORDER BY e.EVENT_ID DESC LIMIT 10`,
		[]Column{{"took", Time}, {"state", Text}, {"source", Text}, {"statement", Text}}}
	statementOfThread = Section{"Statements of the thread", []string{"thread"}, everywhere(&statementOf)}
	blockerStatement  = Section{"Statements of the thread in the way", []string{"blocker"}, Queries{PFSD: &statementOf}}

	digestWaits = Section{"What active threads spent their time on in it", []string{"digest", "digest"}, Queries{PFSD: &Query{
		`SELECT SUM(h.WEIGHT) AS seconds, h.WAIT_CLASS AS wait_class, h.EVENT_NAME AS event, h.OBJECT_NAME AS object, h.SOURCE AS source
 FROM performance_schema.active_session_history h WHERE h.DIGEST = ? OR h.REQUEST_DIGEST = ? GROUP BY wait_class, event, object, source ORDER BY seconds DESC LIMIT 50`,
		[]Column{{"active", Seconds}, {"class", Text}, {"event", Text}, {"object", Text}, {"source", Text}}}}}
)
