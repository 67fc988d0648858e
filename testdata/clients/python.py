"""Does with PyMySQL, or with mysqlclient, what programs do with it, and prints what came of it as
JSON; the server is at PORT, where the accounts USER and OTHER have PASSWORD.
python3 python.py pymysql|MySQLdb PORT USER OTHER PASSWORD"""
import datetime
import importlib
import json
import sys
import warnings

warnings.simplefilter("error")
name, port, user, other, password = sys.argv[1:]
driver = importlib.import_module(name)

TYPES = """SELECT 1 + 1, 'é', CAST(18446744073709551615 AS UNSIGNED), CAST(-1.50 AS DECIMAL(10, 2)), 1.5e0,
  DATE '2026-11-21', TIMESTAMP '2026-11-21 23:59:59.000001', TIME '-01:02:03', NULL"""
ROWS = "SELECT a.NAME, b.NAME FROM performance_schema.setup_instruments a, performance_schema.setup_consumers b LIMIT 5000"
FIGURES = "SELECT EVENT_NAME, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name"
STARTED = "SELECT COUNT(*) FROM performance_schema.events_transactions_current WHERE STATE = 'ACTIVE' AND AUTOCOMMIT = 'NO' AND THREAD_ID = PS_CURRENT_THREAD_ID()"


def connect(**more):
    """Returns a new connection."""
    return driver.connect(host="127.0.0.1", port=int(port), user=user, password=password, database="test",
                          charset="utf8mb4", connect_timeout=300, client_flag=importlib.import_module(name + ".constants.CLIENT").MULTI_STATEMENTS, **more)


def text(value):
    """Returns a value as the other clients print it."""
    if isinstance(value, datetime.timedelta):
        seconds = int(abs(value.total_seconds()))
        return "%s%02d:%02d:%02d" % ("-" if value.days < 0 else "", seconds // 3600, seconds // 60 % 60, seconds % 60)
    return "null" if value is None else str(value)


def sets(cursor):
    """Returns the result sets that are left of a statement."""
    found = []
    while True:
        if cursor.description:
            found.append([[text(v) for v in row] for row in cursor.fetchall()])
        if not cursor.nextset():
            return found


out = {}
c = connect(**({"program_name": "visitor"} if name == "pymysql" else {}))
cur = c.cursor()


def one(query, args=None):
    """Returns the first row of a query."""
    cur.execute(query, args)
    return cur.fetchone()


if name == "pymysql":
    out["attribute"] = one("SELECT ATTR_VALUE FROM performance_schema.session_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = 'program_name'")[0]
else:
    out["attribute"] = one("SELECT ATTR_VALUE FROM performance_schema.session_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = '_client_name'")[0]
out["text"] = [text(v) for v in one(TYPES)]
out["parameters"] = [text(v) for v in one("SELECT %s + 1, CONCAT(%s, %s), %s IS NULL", (41, "é", "'", None))]
cur.execute("INSERT INTO visited (word) VALUES (%s), (%s)", ("a", "b"))
out["inserted"] = [cur.rowcount, cur.lastrowid]
try:
    cur.execute("INSERT INTO visited VALUES (1, 'd')")
except driver.IntegrityError as e:
    out["duplicate"] = e.args[0]
c.commit()
cur.execute("INSERT INTO test.visited (word) VALUES ('e')")  # neither has autocommit on
out["in_transaction"] = [text(v) for v in one(STARTED)]
c.rollback()
out["after_it"] = [text(v) for v in one(STARTED)] + [text(v) for v in one("SELECT COUNT(*) FROM test.visited WHERE word = 'e'")]
cur.execute("SELECT 1; SELECT 2, 3; SET @several = 4; SELECT @several")
out["several"] = [rows[0] for rows in sets(cur)]
cur.callproc("visit", (5,))
out["call"] = sets(cur)
cur.executemany("INSERT INTO test.batched VALUES (%s, %s)", [(1, "a"), (2, "b"), (3, None)])
out["batched"] = cur.rowcount
c.commit()
stream = c.cursor(importlib.import_module(name + ".cursors").SSCursor)
stream.execute(ROWS)
out["streamed"] = sum(len(row) for row in stream)
stream.close()
cur.execute(FIGURES)
out["figures"] = {name: float(n) for name, n in cur.fetchall()}
c.ping()
out["ping"] = True
if name == "MySQLdb":
    cur.execute("SET @kept = 'this'")
    c.change_user(other, password, "performance_schema")
    out["changed_user"] = [text(v) for v in one("SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1), DATABASE(), @kept IS NULL")]
c.close()
print(json.dumps(out))
