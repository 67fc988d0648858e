"""Does with MariaDB's ODBC driver what BI tools do with it, and prints what came of it as JSON; the
server is at PORT, where the accounts USER and OTHER have PASSWORD.
python3 odbc.py PORT USER OTHER PASSWORD"""
import json
import sys

import pyodbc

port, user, other, password = sys.argv[1:]
pyodbc.pooling = False
TYPES = """SELECT 1 + 1, 'é', CAST(18446744073709551615 AS UNSIGNED), CAST(-1.50 AS DECIMAL(10, 2)), 1.5e0,
  DATE '2026-11-21', TIMESTAMP '2026-11-21 23:59:59.000001', TIME '-01:02:03', NULL"""
ROWS = "SELECT a.NAME, b.NAME FROM performance_schema.setup_instruments a, performance_schema.setup_consumers b LIMIT 5000"
FIGURES = "SELECT EVENT_NAME, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name"
STARTED = "SELECT COUNT(*) FROM performance_schema.events_transactions_current WHERE STATE = 'ACTIVE' AND AUTOCOMMIT = 'NO' AND THREAD_ID = PS_CURRENT_THREAD_ID()"


def connect(user):
    """Returns a new connection."""
    return pyodbc.connect("DRIVER=/usr/lib/x86_64-linux-gnu/odbc/libmaodbc.so;SERVER=127.0.0.1;PORT=%s;UID=%s;PWD=%s;DATABASE=test" % (port, user, password), autocommit=True)


def texts(row):
    """Returns values as the other clients print them."""
    return ["null" if v is None else str(v) for v in row]


def listed(cursor, *columns):
    """Returns some columns, by their place, of what a call about the catalog says."""
    return ["|".join(texts(row[i] for i in columns)) for row in cursor.fetchall()]


out = {}
c = connect(user)
cur = c.cursor()
one = lambda q, *args: texts(cur.execute(q, *args).fetchone())
out["text"] = one("SELECT " + ", ".join("CAST(%s AS CHAR)" % x if "TIME '" in x or "1.5e0" in x else x for x in ("1 + 1", "'é'", "CAST(18446744073709551615 AS UNSIGNED)", "CAST(-1.50 AS DECIMAL(10, 2))", "1.5e0")) + ", DATE '2026-11-21', NULL")
out["parameters"] = one("SELECT ? + 1, CONCAT(?, ?), ? IS NULL", 41, "é", "'", None)
out["inserted"] = [cur.execute("INSERT INTO visited (word) VALUES ('a'), ('b')").rowcount, int(one("SELECT LAST_INSERT_ID()")[0])]
out["inserted_prepared"] = [cur.execute("INSERT INTO visited (word) VALUES (?)", "c").rowcount, int(one("SELECT LAST_INSERT_ID()")[0])]
try:
    cur.execute("INSERT INTO visited VALUES (1, 'd')")
except pyodbc.IntegrityError as e:
    out["duplicate"] = [1062 if "(1062)" in e.args[1] else e.args[1], e.args[0]]
c.autocommit = False
cur.execute("INSERT INTO visited (word) VALUES ('e')")
out["in_transaction"] = one(STARTED)
c.rollback()
c.autocommit = True
out["after_it"] = [one(STARTED)[0], one("SELECT COUNT(*) FROM visited WHERE word = 'e'")[0]]
cur.execute("{call visit(?)}", 5)
out["call"] = []
while True:
    if cur.description:
        out["call"].append([texts(row) for row in cur.fetchall()])
    if not cur.nextset():
        break
cur.executemany("INSERT INTO batched VALUES (?, ?)", [(1, "a"), (2, "b"), (3, None)])
out["batched"] = int(one("SELECT COUNT(*) FROM batched")[0])
out["streamed"] = sum(len(row) for row in cur.execute(ROWS))
out["long_data"] = one("SELECT LENGTH(?)", b"y" * 100000)[0]
out["figures"] = {name: float(n) for name, n in cur.execute(FIGURES).fetchall()}
out["product"] = [c.getinfo(pyodbc.SQL_DBMS_NAME), c.getinfo(pyodbc.SQL_DATABASE_NAME)]
out["tables"] = listed(cur.tables(catalog="shelf"), 2, 3, 4)
out["types_of_tables"] = listed(cur.tables(catalog="", schema="", table="", tableType="%"), 3)
out["columns"] = listed(cur.columns(table="books", catalog="shelf"), 3, 5, 6, 10, 11, 12)
out["primary_keys"] = listed(cur.primaryKeys(table="books", catalog="shelf"), 3, 4, 5)
out["imported"] = listed(cur.foreignKeys(foreignTable="books", foreignCatalog="shelf"), 2, 3, 6, 7, 9, 10, 11)
out["indexes"] = listed(cur.statistics(table="books", catalog="shelf"), 3, 5, 7, 8)
out["procedures"] = listed(cur.procedures(catalog="shelf"), 2, 6)
out["procedure_columns"] = listed(cur.procedureColumns(procedure="lend", catalog="shelf"), 3, 4, 6)
out["row_identifier"] = listed(cur.rowIdColumns(table="books", catalog="shelf"), 1)
out["types"] = len(cur.getTypeInfo().fetchall()) > 20
c.close()
o = connect(other)
out["other"] = texts(o.execute("SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1), DATABASE()").fetchone())
print(json.dumps(out))
