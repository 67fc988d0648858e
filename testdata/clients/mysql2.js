// Runs statements through npm's mysql2 for the tests. A JSON array a line comes in,
// [connection, method, statement, parameters], a JSON object a line goes out. The method is
// query or execute; connect, whose statement is HOST:PORT and whose parameter is the user;
// or end.
'use strict';
const readline = require('node:readline');
const mysql = require('mysql2');

const DOUBLE = 5; // a column's type in the protocol
const ANY_DECIMALS = 31;
const NOT_PREPARABLE = 1295; // an error

const connections = {};

// text is a value of a column as the other clients show it.
function text(v, field) {
  if (v === null || v === undefined) return null;
  if (typeof v === 'number' && field.columnType === DOUBLE && field.decimals < ANY_DECIMALS) return v.toFixed(field.decimals);
  if (Buffer.isBuffer(v)) return v.toString();
  return typeof v === 'object' ? JSON.stringify(v) : String(v);
}

function reply(id, out) {
  process.stdout.write(JSON.stringify({ id, ...out }) + '\n');
}

function failure(err) {
  return { errno: err.errno, state: err.sqlState, message: err.sqlMessage || err.message };
}

function connect(id, address, user) {
  const at = address.lastIndexOf(':');
  connections[id] = mysql.createConnection({
    host: address.slice(0, at), port: Number(address.slice(at + 1)), user, database: 'performance_schema',
    rowsAsArray: true, supportBigNumbers: true, bigNumberStrings: true, dateStrings: true, jsonStrings: true,
    connectTimeout: 300_000, // ten seconds are too short on a busy machine
  });
  connections[id].connect((err) => reply(id, err ? failure(err) : {}));
}

function end(id) {
  const c = connections[id];
  delete connections[id];
  // The server closes its side as soon as it is told to.
  c.on('error', () => {});
  c.end(() => reply(id, {}));
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [id, method, statement, parameters] = JSON.parse(line);
  if (method === 'connect') return connect(id, statement, parameters[0]);
  if (method === 'end') return end(id);
  run(id, method, statement, parameters);
});

// run carries out a statement; what MySQL does not prepare goes as text.
function run(id, method, statement, parameters) {
  if (/^SHOW (WARNINGS|ERRORS|COUNT)/.test(statement)) method = 'query'; // which would be among them otherwise
  connections[id][method](statement, parameters || [], (err, rows, fields) => {
    if (err && err.errno === NOT_PREPARABLE && method === 'execute') return run(id, 'query', statement, parameters);
    if (err) return reply(id, failure(err));
    if (Array.isArray(fields) && (fields.length === 0 || !fields[0] || Array.isArray(fields[0]))) {
      [rows, fields] = [rows[0], fields[0]]; // of several results the first one, as other clients show it
    }
    reply(id, fields ? { columns: fields.map((f) => f.name), rows: rows.map((r) => r.map((v, i) => text(v, fields[i]))) } : {});
  });
}
