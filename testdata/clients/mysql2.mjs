// Does with npm's mysql2 what programs do with it, and prints what came of it as JSON; the server
// is at PORT, where the accounts USER and OTHER have PASSWORD.
// node mysql2.mjs PORT USER OTHER PASSWORD
import mysql from 'mysql2/promise';
import { figures, isRows, rowsToRead, types } from './statements.mjs';

const [port, user, other, password] = process.argv.slice(2);
const config = {
  host: '127.0.0.1', port: Number(port), user, password, database: 'test', multipleStatements: true,
  rowsAsArray: true, supportBigNumbers: true, bigNumberStrings: true, dateStrings: true,
  connectAttributes: { program_name: 'visitor' }, connectTimeout: 300_000,
};
const pool = mysql.createPool({ ...config, connectionLimit: 3 });
const out = {};
const c = await pool.getConnection();
const one = async (q) => (await c.query(q))[0][0];

const started = async () => (await one("SELECT COUNT(*) FROM performance_schema.events_transactions_current WHERE STATE = 'ACTIVE' AND AUTOCOMMIT = 'NO' AND THREAD_ID = PS_CURRENT_THREAD_ID()")).map(String);

out.attribute = (await one(`SELECT ATTR_VALUE FROM performance_schema.session_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = 'program_name'`))[0];
out.text = (await one(types)).map(String);
out.prepared = (await c.execute(types))[0][0].map(String);
out.parameters = (await c.execute('SELECT ? + 1, CONCAT(?, ?), ? IS NULL', [41, 'é', "'", null]))[0][0].map(String);
const [inserted] = await c.query('INSERT INTO visited (word) VALUES (?), (?)', ['a', 'b']);
out.inserted = [inserted.affectedRows, inserted.insertId];
const [again] = await c.execute('INSERT INTO visited (word) VALUES (?)', ['c']);
out.inserted_prepared = [again.affectedRows, again.insertId];
out.duplicate = await c.query("INSERT INTO visited VALUES (1, 'd')").catch((e) => [e.errno, e.sqlState]);
await c.beginTransaction();
await c.query("INSERT INTO visited (word) VALUES ('e')");
out.in_transaction = await started();
await c.rollback();
out.after_it = [...await started(), String((await one("SELECT COUNT(*) FROM visited WHERE word = 'e'"))[0])];
out.several = (await c.query('SELECT 1; SELECT 2, 3; SET @several = 4; SELECT @several'))[0].filter(isRows).map((rows) => rows[0].map(String));
out.call = (await c.query('CALL visit(5)'))[0].filter(isRows).map((rows) => rows.map((r) => r.map(String)));
out.call_prepared = (await c.execute('CALL visit(?)', [6]))[0].filter(isRows).map((rows) => rows.map((r) => r.map(String)));
let streamed = 0;
for await (const row of c.connection.query(rowsToRead).stream()) streamed += row.length;
out.streamed = streamed;
out.figures = Object.fromEntries((await c.query(figures))[0].map((r) => [r[0], Number(r[1])]));
out.figures_prepared = Object.fromEntries((await c.execute(figures))[0].map((r) => [r[0], Number(r[1])]));
await c.query("SET @kept = 'this'");
await c.changeUser({ user: other, password, database: 'performance_schema' });
out.changed_user = await one("SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1), DATABASE(), @kept IS NULL").then((r) => r.map(String));
out.ping = await c.ping();
c.release();
out.pooled = (await Promise.all([1, 2, 3, 4, 5, 6].map((n) => pool.query('SELECT ? * 2, SLEEP(0.001)', [n])))).map(([rows]) => String(rows[0][0]));
await pool.end();
console.log(JSON.stringify(out));
