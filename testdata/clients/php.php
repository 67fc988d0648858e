<?php
// Does with mysqli and PDO what programs of PHP's do with them, and prints what came of it as JSON;
// the server is at PORT, where the accounts USER and OTHER have PASSWORD.
// php php.php mysqli|pdo|pdo_emulated PORT USER OTHER PASSWORD
error_reporting(E_ALL);
set_error_handler(function ($number, $text) { throw new ErrorException($text); });
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
[, $name, $port, $user, $other, $password] = $argv;
const TYPES = "SELECT 1 + 1, 'é', CAST(18446744073709551615 AS UNSIGNED), CAST(-1.50 AS DECIMAL(10, 2)), 1.5e0,
  DATE '2026-11-21', TIMESTAMP '2026-11-21 23:59:59.000001', TIME '-01:02:03', NULL";
const ROWS = 'SELECT a.NAME, b.NAME FROM performance_schema.setup_instruments a, performance_schema.setup_consumers b LIMIT 5000';
const FIGURES = 'SELECT EVENT_NAME, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name';
const STARTED = "SELECT COUNT(*) FROM performance_schema.events_transactions_current WHERE STATE = 'ACTIVE' AND AUTOCOMMIT = 'NO' AND THREAD_ID = PS_CURRENT_THREAD_ID()";
const ATTRIBUTE = "SELECT ATTR_VALUE FROM performance_schema.session_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = '_client_name'";
const EACH = "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ('performance_schema', 'sys', 'information_schema', 'mysql')";

/** texts are values as the other clients print them. */
function texts(array $row): array { return array_map(fn ($v) => $v === null ? 'null' : (string) $v, $row); }

/** mysqli_all does everything with mysqli. */
function mysqli_all(int $port, string $user, string $other, string $password): array
{
    $c = mysqli_init();
    $c->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 1);
    $c->real_connect('127.0.0.1', $user, $password, 'test', $port, null, MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT);
    $c->set_charset('utf8mb4');
    $one = fn (string $q) => texts($c->query($q)->fetch_row());
    $sets = function ($from): array {
        $found = [];
        do {
            if ($r = $from instanceof mysqli_stmt ? $from->get_result() : $from->store_result()) {
                $found[] = array_map('texts', $r->fetch_all());
            }
        } while ($from->more_results() && $from->next_result());
        return $found;
    };
    $out = ['attribute' => $one(ATTRIBUTE)[0], 'text' => $one(TYPES)];
    $s = $c->prepare(TYPES);
    $s->execute();
    $out['prepared'] = texts($s->get_result()->fetch_row());
    $s = $c->prepare('SELECT ? + 1, CONCAT(?, ?), ? IS NULL, LENGTH(?)');
    [$n, $a, $b, $null, $data] = [41, 'é', "'", null, null];
    $s->bind_param('isssb', $n, $a, $b, $null, $data);
    $s->send_long_data(4, str_repeat('x', 100000));
    $s->send_long_data(4, 'yy');
    $s->execute();
    $row = texts($s->get_result()->fetch_row());
    $out['long_data'] = array_pop($row);
    $out['parameters'] = $row;
    $s = $c->prepare('SELECT NAME FROM performance_schema.setup_consumers');
    $s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
    $s->execute();
    $s->bind_result($consumer);
    for ($n = 0; $s->fetch(); $n++);
    $out['cursor'] = $n;
    $s->close();
    $c->query("INSERT INTO visited (word) VALUES ('a'), ('b')");
    $out['inserted'] = [$c->affected_rows, $c->insert_id];
    $s = $c->prepare('INSERT INTO visited (word) VALUES (?)');
    $word = 'c';
    $s->bind_param('s', $word);
    $s->execute();
    $out['inserted_prepared'] = [$s->affected_rows, $s->insert_id];
    try {
        $c->query("INSERT INTO visited VALUES (1, 'd')");
    } catch (mysqli_sql_exception $e) {
        $out['duplicate'] = [$e->getCode(), $e->getSqlState()];
    }
    $c->begin_transaction();
    $c->query("INSERT INTO visited (word) VALUES ('e')");
    $out['in_transaction'] = $one(STARTED);
    $c->rollback();
    $out['after_it'] = [$one(STARTED)[0], $one("SELECT COUNT(*) FROM visited WHERE word = 'e'")[0]];
    $c->multi_query('SELECT 1; SELECT 2, 3; SET @several = 4; SELECT @several');
    $out['several'] = array_map(fn ($rows) => $rows[0], $sets($c));
    $c->multi_query('CALL visit(5)');
    $out['call'] = $sets($c);
    $s = $c->prepare('CALL visit(?)');
    $n = 6;
    $s->bind_param('i', $n);
    $s->execute();
    $out['call_prepared'] = $sets($s);
    $s->close();
    $r = $c->query(ROWS, MYSQLI_USE_RESULT);
    for ($n = 0; $r->fetch_row(); $n += 2);
    $out['streamed'] = $n;
    $r->free();
    $fields = $c->query('SELECT v.id AS i, word FROM visited v')->fetch_fields();
    $out['fields'] = array_map(fn ($f) => [$f->name, $f->orgname, $f->table, $f->orgtable, $f->db, $f->type, $f->flags & MYSQLI_PRI_KEY_FLAG], $fields);
    $c->query('SELECT SLEEP(0.05), 7', MYSQLI_ASYNC);
    do {
        [$ready, $errors, $refused] = [[$c], [$c], [$c]];
    } while (!mysqli_poll($ready, $errors, $refused, 1));
    $out['async'] = texts($c->reap_async_query()->fetch_row());
    $out['tables'] = 0;
    foreach ($c->query(EACH)->fetch_all() as [$db, $table]) {
        $c->query("SELECT * FROM `$db`.`$table` LIMIT 20")->fetch_all();
        $out['tables']++;
    }
    foreach ($c->query(FIGURES)->fetch_all() as [$of, $n]) {
        $out['figures'][$of] = (float) $n;
    }
    $out['ping'] = str_starts_with($c->stat(), 'Uptime');
    $c->query("SET @kept = 'this'");
    $c->change_user($other, $password, 'performance_schema');
    $out['changed_user'] = $one("SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1), DATABASE(), @kept IS NULL");
    return $out;
}

/** pdo_all does everything with PDO, which prepares statements itself if emulated. */
function pdo_all(bool $emulated, int $port, string $user, string $password): array
{
    $c = new PDO("mysql:host=127.0.0.1;port=$port;dbname=test;charset=utf8mb4", $user, $password, [PDO::ATTR_EMULATE_PREPARES => $emulated, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_NUM]);
    $one = fn (string $q) => texts($c->query($q)->fetch());
    $run = function (string $q, array $with) use ($c): PDOStatement { $s = $c->prepare($q); $s->execute($with); return $s; };
    $out = ['attribute' => $one(ATTRIBUTE)[0], 'text' => $one(TYPES)];
    $out['parameters'] = texts($run('SELECT :a + 1, CONCAT(:b, :c), :d IS NULL', ['a' => 41, 'b' => 'é', 'c' => "'", 'd' => null])->fetch());
    $c->exec("INSERT INTO visited (word) VALUES ('a'), ('b')");
    $out['inserted'] = [2, (int) $c->lastInsertId()];
    $s = $run('INSERT INTO visited (word) VALUES (?)', ['c']);
    $out['inserted_prepared'] = [$s->rowCount(), (int) $c->lastInsertId()];
    try {
        $c->exec("INSERT INTO visited VALUES (1, 'd')");
    } catch (PDOException $e) {
        $out['duplicate'] = [$e->errorInfo[1], $e->errorInfo[0]];
    }
    $c->beginTransaction();
    $c->exec("INSERT INTO visited (word) VALUES ('e')");
    $out['in_transaction'] = $c->inTransaction() ? $one(STARTED) : null;
    $c->rollBack();
    $out['after_it'] = [$one(STARTED)[0], $one("SELECT COUNT(*) FROM visited WHERE word = 'e'")[0]];
    $s = $c->prepare('SELECT NAME FROM performance_schema.setup_consumers ORDER BY NAME LIMIT ?, ?');
    $s->bindValue(1, 15, PDO::PARAM_INT);
    $s->bindValue(2, 5, PDO::PARAM_INT);
    $s->execute();
    $out['limited'] = $s->fetchAll(PDO::FETCH_COLUMN);
    unset($s); // PDO has one result set of what follows otherwise, with MySQL, too
    $s = $run('CALL visit(?)', [5]);
    do {
        if ($rows = $s->fetchAll()) {
            $out['call'][] = array_map('texts', $rows);
        }
    } while ($s->nextRowset());
    $c->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
    $s = $c->query(ROWS);
    for ($n = 0; $s->fetch(); $n += 2);
    $out['streamed'] = $n;
    $c->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
    foreach ($c->query(FIGURES)->fetchAll() as [$of, $n]) {
        $out['figures'][$of] = (float) $n;
    }
    $out['tables'] = 0;
    foreach ($c->query(EACH)->fetchAll() as [$db, $table]) {
        $run("SELECT * FROM `$db`.`$table` LIMIT 20", [])->fetchAll();
        $out['tables']++;
    }
    $out['ping'] = str_starts_with($c->getAttribute(PDO::ATTR_SERVER_INFO), 'Uptime');
    return $out;
}

echo json_encode($name === 'mysqli' ? mysqli_all((int) $port, $user, $other, $password) : pdo_all($name === 'pdo_emulated', (int) $port, $user, $password), JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
