package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine/syntax"
	"pfsd/tables"
)

// The matrix of privileges: what MySQL 8.4 answers to a statement of each kind, as accounts of five sorts.

// matrixAccounts are they: one without any privilege, one that may read everything, the owner of the database own, one
// that may make accounts, and root.
var matrixAccounts = []string{"none", "selects", "owner", "creator", "root"}

// matrixWorld are the databases own and vic, each with one thing of each sort, made by root.
func matrixWorld() (all []string) {
	for _, names := range [][2]string{{"own", "t"}, {"vic", "secret"}} {
		r := strings.NewReplacer("{db}", names[0], "{table}", names[0]+"."+names[1])
		for _, q := range []string{
			"CREATE DATABASE IF NOT EXISTS {db}", "DROP TABLE IF EXISTS {db}.n", "DROP VIEW IF EXISTS {db}.n", "DROP TABLE IF EXISTS {table}",
			"CREATE TABLE {table} (id INT PRIMARY KEY, a INT)", "INSERT INTO {table} VALUES (1, 1)",
			"CREATE OR REPLACE VIEW {db}.v AS SELECT a FROM {table}", "DROP PROCEDURE IF EXISTS {db}.p", "CREATE PROCEDURE {db}.p() SELECT 1",
			"DROP FUNCTION IF EXISTS {db}.n", "DROP FUNCTION IF EXISTS {db}.f", "CREATE FUNCTION {db}.f() RETURNS INT RETURN 1",
			"DROP PROCEDURE IF EXISTS {db}.n", "CREATE TRIGGER {db}.tr BEFORE UPDATE ON {table} FOR EACH ROW SET @trigger = 1",
			"DROP EVENT IF EXISTS {db}.e", "CREATE EVENT {db}.e ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01' DO SELECT 1", "DROP EVENT IF EXISTS {db}.n",
		} {
			all = append(all, r.Replace(q))
		}
	}
	return append(all, "DROP DATABASE IF EXISTS d", "DROP USER IF EXISTS x", "DROP ROLE IF EXISTS boss2", "REVOKE IF EXISTS boss FROM none@localhost",
		"ALTER USER victim@localhost IDENTIFIED BY ''")
}

// matrix has a statement and its five answers a line: ok, or the number of the error. A dash is a statement that the
// account must not carry out here.
const matrix = `
BEGIN	ok ok ok ok ok
COMMIT	ok ok ok ok ok
ROLLBACK	ok ok ok ok ok
SAVEPOINT s	ok ok ok ok ok
ROLLBACK TO SAVEPOINT s	1305 1305 1305 1305 1305
RELEASE SAVEPOINT s	1305 1305 1305 1305 1305
UNLOCK TABLES	ok ok ok ok ok
PREPARE s FROM 'SELECT 1'	ok ok ok ok ok
PREPARE s FROM 'SELECT * FROM vic.secret'	1142 ok 1142 1142 ok
PREPARE s FROM 'DROP TABLE vic.secret'	1142 1142 1142 1142 ok
EXECUTE s	1243 1243 1243 1243 1243
DEALLOCATE PREPARE s	1243 1243 1243 1243 1243
SIGNAL SQLSTATE '45000'	1644 1644 1644 1644 1644
RESIGNAL	1645 1645 1645 1645 1645
GET DIAGNOSTICS @n = NUMBER	ok ok ok ok ok
HELP 'x'	ok ok ok ok ok
USE vic	1044 ok 1044 1044 ok
USE own	1044 ok ok 1044 ok
USE nosuch	1044 1049 1044 1044 1049
XA START 'x'	1235 1235 1235 1235 1235
XA END 'x'	1235 1235 1235 1235 1235
XA PREPARE 'x'	1235 1235 1235 1235 1235
XA COMMIT 'x'	1235 1235 1235 1235 1235
XA ROLLBACK 'x'	1235 1235 1235 1235 1235
XA RECOVER	1401 1401 1401 1401 ok
KILL 4294960000	1094 1094 1094 1094 1094
SELECT 1	ok ok ok ok ok
SELECT * FROM vic.secret	1142 ok 1142 1142 ok
SELECT * FROM own.t	1142 ok ok 1142 ok
SELECT * FROM vic.v	1142 ok 1142 1142 ok
SELECT * FROM vic.nosuch	1142 1146 1142 1142 1146
SELECT * FROM nosuch.t	1142 1049 1142 1142 1049
TABLE vic.secret	1142 ok 1142 1142 ok
SELECT (SELECT MAX(a) FROM vic.secret)	1142 ok 1142 1142 ok
SELECT 1 FROM own.t WHERE EXISTS (SELECT 1 FROM vic.secret)	1142 ok 1142 1142 ok
SELECT 1 FROM own.t ORDER BY (SELECT MAX(a) FROM vic.secret)	1142 ok 1142 1142 ok
SELECT a FROM own.t GROUP BY a HAVING a > (SELECT MAX(a) FROM vic.secret)	1142 ok 1142 1142 ok
SELECT 1 FROM own.t JOIN vic.secret ON own.t.a = vic.secret.a	1142 ok 1142 1142 ok
SELECT 1 FROM own.t UNION SELECT a FROM vic.secret	1142 ok 1142 1142 ok
WITH c AS (SELECT a FROM vic.secret) SELECT * FROM c	1142 ok 1142 1142 ok
SELECT * FROM (SELECT a FROM vic.secret) AS d	1142 ok 1142 1142 ok
SELECT * FROM own.t FOR UPDATE	1142 1142 ok 1142 ok
SELECT * FROM (SELECT a FROM vic.secret FOR UPDATE) AS d	1142 1142 1142 1142 ok
SELECT * FROM own.t JOIN vic.secret USING (id) FOR UPDATE OF t	1142 1142 1142 1142 -
SELECT * FROM vic.secret FOR SHARE	1142 ok 1142 1142 ok
INSERT INTO own.t VALUES (1, 7) ON DUPLICATE KEY UPDATE a = VALUES(a)	1142 1142 ok 1142 ok
SELECT 1 INTO OUTFILE '/nonexistent/x'	1045 1045 1045 1045 1290
SELECT 1 INTO DUMPFILE '/nonexistent/x'	1045 1045 1045 1045 1290
SELECT LOAD_FILE('/etc/hostname')	ok ok ok ok ok
DO 1	ok ok ok ok ok
DO (SELECT MAX(a) FROM vic.secret)	1142 ok 1142 1142 ok
INSERT INTO vic.secret VALUES (7, 7)	1142 1142 1142 1142 ok
INSERT INTO own.t VALUES (7, 7)	1142 1142 ok 1142 ok
INSERT INTO own.t VALUES (7, (SELECT MAX(a) FROM vic.secret))	1142 1142 1142 1142 ok
INSERT INTO own.t VALUES (1, 7) ON DUPLICATE KEY UPDATE a = (SELECT MAX(a) FROM vic.secret)	1142 1142 1142 1142 -
INSERT INTO own.t SELECT id + 5, a FROM vic.secret	1142 1142 1142 1142 ok
REPLACE INTO vic.secret VALUES (1, 7)	1142 1142 1142 1142 ok
REPLACE INTO own.t VALUES (1, 7)	1142 1142 ok 1142 ok
REPLACE INTO own.t SELECT * FROM vic.secret	1142 1142 1142 1142 ok
UPDATE vic.secret SET a = 2	1142 1142 1142 1142 ok
UPDATE own.t SET a = 2	1142 1142 ok 1142 ok
UPDATE own.t SET a = (SELECT MAX(a) FROM vic.secret)	1142 1142 1142 1142 ok
UPDATE own.t JOIN vic.secret ON own.t.id = vic.secret.id SET own.t.a = vic.secret.a	1142 1142 1142 1142 ok
DELETE FROM vic.secret	1142 1142 1142 1142 ok
DELETE FROM own.t	1142 1142 ok 1142 ok
DELETE FROM own.t WHERE a IN (SELECT a FROM vic.secret)	1142 1142 1142 1142 ok
DELETE own.t FROM own.t JOIN vic.secret ON own.t.id = vic.secret.id	1142 1142 1142 1142 ok
LOAD DATA INFILE '/nonexistent/x' INTO TABLE own.t	1045 1045 1045 1045 -
LOAD DATA INFILE '/nonexistent/x' REPLACE INTO TABLE own.t	1045 1045 1045 1045 -
CALL vic.p()	1370 1370 1370 1370 ok
CALL own.p()	1370 1370 ok 1370 ok
CALL vic.nosuch()	1370 1370 1370 1370 1305
HANDLER vic.secret OPEN	1142 1031 1142 1142 1031
HANDLER own.t OPEN	1142 1031 1031 1142 1031
HANDLER t READ FIRST	1109 1109 1109 1109 1109
HANDLER t CLOSE	1109 1109 1109 1109 1109
LOCK TABLES vic.secret READ	1044 1044 1044 1044 ok
LOCK TABLES own.t WRITE	1044 1044 ok 1044 ok
EXPLAIN SELECT * FROM vic.secret	1142 ok 1142 1142 ok
EXPLAIN FORMAT=TREE SELECT * FROM own.t	1142 ok ok 1142 ok
EXPLAIN SELECT * FROM vic.v	1142 1345 1142 1142 ok
EXPLAIN ANALYZE SELECT * FROM vic.secret	1142 ok 1142 1142 ok
EXPLAIN UPDATE vic.secret SET a = 1	1142 1142 1142 1142 ok
EXPLAIN DELETE FROM vic.secret	1142 1142 1142 1142 ok
EXPLAIN INSERT INTO vic.secret VALUES (9, 9)	1142 1142 1142 1142 ok
EXPLAIN REPLACE INTO vic.secret VALUES (9, 9)	1142 1142 1142 1142 ok
EXPLAIN FORMAT=JSON FOR SCHEMA vic SELECT * FROM secret	1044 ok 1044 1044 ok
EXPLAIN FOR CONNECTION 4294960000	1094 1094 1094 1094 1094
DESCRIBE vic.secret	1142 ok 1142 1142 ok
DESCRIBE own.t	1142 ok ok 1142 ok
CREATE DATABASE d	1044 1044 1044 1044 ok
DROP DATABASE vic	1044 1044 1044 1044 ok
DROP DATABASE own	1044 1044 ok 1044 ok
DROP DATABASE IF EXISTS nosuch	1044 1044 1044 1044 ok
ALTER DATABASE vic CHARACTER SET utf8mb4	1044 1044 1044 1044 ok
ALTER DATABASE own CHARACTER SET utf8mb4	1044 1044 ok 1044 ok
CREATE TABLE vic.n (a INT)	1142 1142 1142 1142 ok
CREATE TABLE own.n (a INT)	1142 1142 ok 1142 ok
CREATE TABLE own.n LIKE vic.secret	1142 1142 1142 1142 ok
CREATE TABLE own.n LIKE vic.nosuch	1142 1142 1142 1142 1146
CREATE TABLE own.n LIKE own.t	1142 1142 ok 1142 ok
CREATE TABLE own.n AS SELECT * FROM vic.secret	1142 1142 1142 1142 ok
CREATE TABLE own.n AS SELECT * FROM own.t	1142 1142 ok 1142 ok
CREATE TABLE own.n (a INT, FOREIGN KEY (a) REFERENCES vic.secret (id))	1142 1142 1142 1142 ok
CREATE TABLE own.n (a INT, FOREIGN KEY (a) REFERENCES own.t (id))	1142 1142 ok 1142 ok
CREATE TABLE own.n (a INT) DATA DIRECTORY = '/nonexistent'	1142 1142 1045 1142 ok
CREATE TEMPORARY TABLE vic.n (a INT)	1044 1044 1044 1044 ok
CREATE TEMPORARY TABLE own.n (a INT)	1044 1044 ok 1044 ok
CREATE TEMPORARY TABLE own.n LIKE vic.secret	1044 1044 1142 1044 ok
CREATE TEMPORARY TABLE own.n AS SELECT * FROM vic.secret	1044 1044 1142 1044 ok
ALTER TABLE vic.secret ADD COLUMN z INT	1142 1142 1142 1142 ok
ALTER TABLE vic.nosuch ADD COLUMN z INT	1142 1142 1142 1142 1146
ALTER TABLE own.t ADD COLUMN z INT	1142 1142 ok 1142 ok
ALTER TABLE own.t ADD INDEX (a)	1142 1142 ok 1142 ok
ALTER TABLE own.t ADD FOREIGN KEY (a) REFERENCES vic.secret (id)	1142 1142 1142 1142 ok
ALTER TABLE own.t RENAME TO vic.n	1142 1142 1142 1142 1235
ALTER TABLE vic.secret RENAME TO own.n	1142 1142 1142 1142 1235
ALTER TABLE own.t RENAME TO own.n	1142 1142 ok 1142 ok
ALTER TABLE own.t EXCHANGE PARTITION p WITH TABLE vic.secret	1142 1142 1142 1142 ok
ALTER TABLE own.t DROP PARTITION p	1142 1142 ok 1142 ok
ALTER TABLE own.t ANALYZE PARTITION p	1142 1142 ok 1142 ok
CREATE INDEX i ON vic.secret (a)	1142 1142 1142 1142 ok
CREATE INDEX i ON own.t (a)	1142 1142 ok 1142 ok
DROP INDEX nosuch ON vic.secret	1142 1142 1142 1142 1091
DROP TABLE vic.secret	1142 1142 1142 1142 ok
DROP TABLE own.t, vic.secret	1142 1142 1142 1142 1235
DROP TABLE vic.nosuch	1142 1142 1142 1142 1051
DROP TABLE IF EXISTS vic.nosuch	1142 1142 1142 1142 ok
DROP TEMPORARY TABLE IF EXISTS vic.nosuch	ok ok ok ok ok
RENAME TABLE own.t TO vic.n	1142 1142 1142 1142 1235
RENAME TABLE vic.secret TO own.n	1142 1142 1142 1142 1235
RENAME TABLE own.t TO own.n	1142 1142 ok 1142 ok
TRUNCATE TABLE vic.secret	1142 1142 1142 1142 ok
TRUNCATE TABLE own.t	1142 1142 ok 1142 ok
CREATE VIEW vic.n AS SELECT 1	1142 1142 1142 1142 ok
CREATE VIEW own.n AS SELECT 1	1142 1142 ok 1142 ok
CREATE VIEW own.n AS SELECT * FROM vic.secret	1142 1142 1142 1142 ok
CREATE OR REPLACE VIEW vic.v AS SELECT 1	1142 1142 1142 1142 ok
CREATE DEFINER = root@localhost VIEW own.n AS SELECT 1	1142 1142 1227 1142 ok
ALTER VIEW vic.v AS SELECT 2	1142 1142 1142 1142 ok
ALTER VIEW own.v AS SELECT 2	1142 1142 1227 1142 ok
DROP VIEW vic.v	1142 1142 1142 1142 ok
DROP VIEW own.v	1142 1142 ok 1142 ok
ANALYZE TABLE vic.secret	1142 1142 1142 1142 ok
ANALYZE TABLE own.t	1142 1142 ok 1142 ok
CHECK TABLE vic.secret	1142 ok 1142 1142 ok
CHECKSUM TABLE vic.secret	1142 ok 1142 1142 ok
OPTIMIZE TABLE vic.secret	1142 1142 1142 1142 ok
OPTIMIZE TABLE own.t	1142 1142 ok 1142 ok
OPTIMIZE LOCAL TABLE own.t	1227 1227 1227 1227 ok
REPAIR TABLE vic.secret	1142 1142 1142 1142 ok
CACHE INDEX vic.secret IN k	1142 1142 1142 1142 1235
LOAD INDEX INTO CACHE vic.secret	1142 1142 1142 1142 1235
IMPORT TABLE FROM '/nonexistent/x'	1045 1045 1045 1045 1235
CREATE PROCEDURE vic.n() SELECT 1	1044 1044 1044 1044 ok
CREATE PROCEDURE own.n() SELECT 1	1044 1044 ok 1044 ok
CREATE DEFINER = root@localhost PROCEDURE own.n() SELECT 1	1044 1044 1227 1044 ok
CREATE FUNCTION vic.n() RETURNS INT RETURN 1	1044 1044 1044 1044 ok
CREATE FUNCTION own.n() RETURNS INT RETURN 1	1044 1044 ok 1044 ok
CREATE DEFINER = root@localhost FUNCTION own.n() RETURNS INT RETURN 1	1044 1044 1227 1044 ok
DROP PROCEDURE vic.p	1370 1370 1370 1370 ok
DROP PROCEDURE own.p	1370 1370 ok 1370 ok
DROP PROCEDURE vic.nosuch	1370 1370 1370 1370 1305
SELECT vic.f()	1370 1370 1370 1370 ok
SELECT own.f()	1370 1370 ok 1370 ok
SELECT vic.nosuch()	1305 1305 1305 1305 1305
SHOW CREATE FUNCTION vic.f	1305 ok 1305 1305 ok
DROP FUNCTION vic.f	1370 1370 1370 1370 ok
DROP FUNCTION own.f	1370 1370 ok 1370 ok
DROP FUNCTION vic.nosuch	1370 1370 1370 1370 1305
CREATE TRIGGER vic.n BEFORE INSERT ON vic.secret FOR EACH ROW SET @a = 1	1142 1142 1142 1142 ok
CREATE TRIGGER own.n BEFORE INSERT ON own.t FOR EACH ROW SET @a = 1	1142 1142 ok 1142 ok
CREATE DEFINER = root@localhost TRIGGER own.n BEFORE INSERT ON own.t FOR EACH ROW SET @a = 1	1142 1142 1227 1142 ok
DROP TRIGGER vic.tr	1142 1142 1142 1142 ok
DROP TRIGGER own.tr	1142 1142 ok 1142 ok
CREATE EVENT vic.n ON SCHEDULE EVERY 1 DAY DO SELECT 1	1044 1044 1044 1044 ok
CREATE EVENT own.n ON SCHEDULE EVERY 1 DAY DO SELECT 1	1044 1044 ok 1044 ok
CREATE DEFINER = root@localhost EVENT own.n ON SCHEDULE EVERY 1 DAY DO SELECT 1	1044 1044 1227 1044 ok
CREATE DEFINER = nobody@nowhere EVENT own.n ON SCHEDULE EVERY 1 DAY DO SELECT 1	1044 1044 1227 1044 ok
ALTER EVENT vic.e DISABLE	1044 1044 1044 1044 ok
ALTER EVENT own.e DISABLE	1044 1044 ok 1044 ok
DROP EVENT vic.e	1044 1044 1044 1044 ok
DROP EVENT own.e	1044 1044 ok 1044 ok
CREATE USER x	1227 1227 1227 ok ok
CREATE USER x IDENTIFIED BY 'x' DEFAULT ROLE boss	1227 1227 1227 1227 ok
ALTER USER victim@localhost IDENTIFIED BY 'x'	1227 1227 1227 ok ok
ALTER USER root@localhost IDENTIFIED BY ''	1227 1227 1227 1227 ok
ALTER USER root@localhost ACCOUNT UNLOCK	1227 1227 1227 1227 ok
ALTER USER root@localhost DEFAULT ROLE NONE	1227 1227 1227 1227 ok
SET DEFAULT ROLE NONE TO root@localhost	1227 1227 1227 1227 ok
SET DEFAULT ROLE boss TO victim@localhost	1227 1227 1227 3530 3530
SET PASSWORD FOR root@localhost = ''	1044 1044 1044 1227 ok
SET PASSWORD = ''	ok ok ok ok ok
DROP USER victim@nowhere	1227 1227 1227 1396 1396
DROP USER root@localhost	1227 1227 1227 1227 -
RENAME USER root@localhost TO x	1227 1227 1227 1227 -
RENAME USER victim@nowhere TO x	1227 1227 1227 1396 1396
CREATE ROLE boss2	1227 1227 1227 ok ok
DROP ROLE nosuch	1227 1227 1227 1396 1396
DROP ROLE boss	1227 1227 1227 1227 -
GRANT SELECT ON vic.* TO victim@localhost	1044 1044 1044 1044 ok
GRANT SELECT ON own.* TO victim@localhost	1044 1044 1044 1044 ok
GRANT ALL ON *.* TO none@localhost	1045 1045 1045 1045 -
GRANT SYSTEM_USER ON *.* TO none@localhost	1227 1227 1227 1227 -
GRANT boss TO none@localhost	1227 1227 1227 1227 ok
REVOKE SELECT ON vic.* FROM victim@localhost	1044 1044 1044 1044 ok
REVOKE SELECT ON *.* FROM root@localhost	1045 1045 1045 1045 -
REVOKE ALL PRIVILEGES, GRANT OPTION FROM root@localhost	1227 1227 1227 1227 -
REVOKE ALL PRIVILEGES, GRANT OPTION FROM victim@localhost	1227 1227 1227 ok ok
REVOKE boss FROM victim@localhost	1227 1227 1227 1227 ok
SET ROLE NONE	ok ok ok ok ok
SET ROLE boss	3530 3530 3530 3530 3530
SHOW GRANTS	ok ok ok ok ok
SHOW GRANTS FOR root@localhost	1044 ok 1044 1044 ok
SHOW CREATE USER root@localhost	1044 ok 1044 1044 ok
SET @x = 1	ok ok ok ok ok
SET @x = (SELECT MAX(a) FROM vic.secret)	1142 ok 1142 1142 ok
SET NAMES utf8mb4	ok ok ok ok ok
SET sort_buffer_size = 300000	ok ok ok ok ok
SET SESSION sql_log_bin = 1	1227 1227 1227 1227 ok
SET @@session.pseudo_thread_id = 1	1227 1227 1227 1227 ok
SET binlog_format = 'ROW'	1227 1227 1227 1227 ok
SET GLOBAL max_connections = 151	1227 1227 1227 1227 ok
SET @@GLOBAL.max_connections = 151	1227 1227 1227 1227 ok
SET GLOBAL TRANSACTION READ WRITE	1227 1227 1227 1227 ok
SET PERSIST max_connections = 151	1227 1227 1227 1227 -
SET PERSIST_ONLY max_connections = 151	3630 3630 3630 3630 -
RESET PERSIST	1227 1227 1227 1227 -
RESET PERSIST IF EXISTS max_connections	1227 1227 1227 1227 -
RESET REPLICA	1227 1227 1227 1227 ok
RESET BINARY LOGS AND GTIDS	1227 1227 1227 1227 1186
FLUSH STATUS	1227 1227 1227 1227 ok
FLUSH PRIVILEGES	1227 1227 1227 1227 ok
FLUSH TABLES	1227 1227 1227 1227 ok
FLUSH LOCAL TABLES	1227 1227 1227 1227 ok
FLUSH TABLES WITH READ LOCK	1227 1227 1227 1227 ok
FLUSH TABLES own.t WITH READ LOCK	1227 1227 1227 1227 ok
FLUSH OPTIMIZER_COSTS	1227 1227 1227 1227 ok
FLUSH USER_RESOURCES	1227 1227 1227 1227 ok
FLUSH LOGS	1227 1227 1227 1227 ok
FLUSH BINARY LOGS	1227 1227 1227 1227 ok
FLUSH ERROR LOGS	1227 1227 1227 1227 ok
LOCK INSTANCE FOR BACKUP	1227 1227 1227 1227 ok
UNLOCK INSTANCE	1227 1227 1227 1227 ok
CLONE LOCAL DATA DIRECTORY = '/nonexistent'	1227 1227 1227 1227 1290
CLONE INSTANCE FROM u@h:1 IDENTIFIED BY 'x'	1227 1227 1227 1227 1235
ALTER INSTANCE RELOAD TLS	1227 1227 1227 1227 -
RESTART	1227 1227 1227 1227 3707
SHUTDOWN	1227 1227 1227 1227 -
INSTALL PLUGIN x SONAME 'x.so'	1142 1142 1142 1142 1235
INSTALL COMPONENT 'file://x'	1142 1142 1142 1142 1235
UNINSTALL PLUGIN x	1142 1142 1142 1142 1305
UNINSTALL COMPONENT 'file://x'	1142 1142 1142 1142 3537
PURGE BINARY LOGS TO 'x'	1227 1227 1227 1227 1373
PURGE BINARY LOGS BEFORE '2000-01-01'	1227 1227 1227 1227 ok
BINLOG 'AAAA'	1227 1227 1227 1227 1235
CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'x'	1227 1227 1227 1227 1235
CHANGE REPLICATION FILTER REPLICATE_DO_TABLE = (a.b)	1227 1227 1227 1227 1235
START REPLICA	1227 1227 1227 1227 1200
STOP REPLICA	1227 1227 1227 1227 ok
START GROUP_REPLICATION	1227 1227 1227 1227 3092
STOP GROUP_REPLICATION	1227 1227 1227 1227 3092
CREATE SPATIAL REFERENCE SYSTEM 4120 NAME 'x' DEFINITION 'x'	1227 1227 1227 1227 -
SHOW DATABASES	ok ok ok ok ok
SHOW CHARACTER SET	ok ok ok ok ok
SHOW COLLATION	ok ok ok ok ok
SHOW ENGINES	ok ok ok ok ok
SHOW PLUGINS	ok ok ok ok ok
SHOW PRIVILEGES	ok ok ok ok ok
SHOW WARNINGS	ok ok ok ok ok
SHOW ERRORS	ok ok ok ok ok
SHOW VARIABLES LIKE 'port'	ok ok ok ok ok
SHOW STATUS LIKE 'Uptime'	ok ok ok ok ok
SHOW PROCESSLIST	ok ok ok ok ok
SHOW PROFILES	ok ok ok ok ok
SHOW PROFILE	ok ok ok ok ok
SHOW PROCEDURE STATUS	ok ok ok ok ok
SHOW FUNCTION STATUS	ok ok ok ok ok
SHOW CREATE PROCEDURE vic.p	1305 ok 1305 1305 ok
SHOW CREATE FUNCTION vic.nosuch	1305 1305 1305 1305 1305
SHOW PROCEDURE CODE vic.p	1289 1289 1289 1289 1289
SHOW FUNCTION CODE vic.p	1289 1289 1289 1289 1289
SHOW TABLES FROM vic	1044 ok 1044 1044 ok
SHOW TABLES FROM own	1044 ok ok 1044 ok
SHOW TABLES FROM nosuch	1044 1049 1044 1044 1049
SHOW TABLE STATUS FROM vic	1044 ok 1044 1044 ok
SHOW TRIGGERS FROM vic	1044 ok 1044 1044 ok
SHOW CREATE DATABASE vic	1044 ok 1044 1044 ok
SHOW CREATE DATABASE nosuch	1044 1049 1044 1044 1049
SHOW EVENTS FROM vic	1044 1044 1044 1044 ok
SHOW EVENTS FROM own	1044 1044 ok 1044 ok
SHOW EVENTS FROM nosuch	1044 1044 1044 1044 1049
SHOW CREATE EVENT vic.e	1044 1044 1044 1044 ok
SHOW CREATE EVENT own.e	1044 1044 ok 1044 ok
SHOW COLUMNS FROM vic.secret	1142 ok 1142 1142 ok
SHOW COLUMNS FROM vic.nosuch	1142 1146 1142 1142 1146
SHOW COLUMNS FROM nosuch FROM vic	1142 1146 1142 1142 1146
SHOW FULL COLUMNS FROM own.t	1142 ok ok 1142 ok
SHOW INDEX FROM vic.secret	1142 ok 1142 1142 ok
SHOW INDEX FROM secret FROM vic WHERE Key_name = 'x'	1142 ok 1142 1142 ok
SHOW INDEX FROM own.t	1142 ok ok 1142 ok
SHOW CREATE TABLE vic.secret	1142 ok 1142 1142 ok
SHOW CREATE TABLE vic.nosuch	1142 1146 1142 1142 1146
SHOW CREATE TABLE own.t	1142 ok ok 1142 ok
SHOW CREATE VIEW vic.v	1142 1142 1142 1142 ok
SHOW CREATE VIEW own.v	1142 1142 ok 1142 ok
SHOW CREATE TRIGGER vic.tr	1360 1360 1360 1360 ok
SHOW CREATE TRIGGER own.tr	1360 1360 ok 1360 ok
SHOW ENGINE INNODB STATUS	1227 1227 1227 1227 ok
SHOW ENGINE INNODB MUTEX	1227 1227 1227 1227 ok
SHOW ENGINE PERFORMANCE_SCHEMA LOGS	1227 1227 1227 1227 ok
SHOW BINARY LOGS	1227 1227 1227 1227 1381
SHOW BINARY LOG STATUS	1227 1227 1227 1227 ok
SHOW REPLICA STATUS	1227 1227 1227 1227 ok
SHOW BINLOG EVENTS	1227 1227 1227 1227 ok
SHOW RELAYLOG EVENTS	1227 1227 1227 1227 ok
SHOW REPLICAS	1227 1227 1227 1227 ok
SELECT * FROM information_schema.INNODB_METRICS LIMIT 1	1227 1227 1227 1227 ok
SELECT * FROM performance_schema.threads LIMIT 1	1142 ok 1142 1142 ok
SELECT * FROM performance_schema.variables_by_thread LIMIT 1	1142 ok 1142 1142 ok
SELECT * FROM performance_schema.user_variables_by_thread LIMIT 1	1142 ok 1142 1142 ok
SELECT * FROM performance_schema.events_statements_current LIMIT 1	1142 ok 1142 1142 ok
SELECT * FROM performance_schema.session_connect_attrs LIMIT 1	1142 ok 1142 1142 ok
SELECT * FROM performance_schema.processlist LIMIT 1	ok ok ok ok ok
SELECT * FROM mysql.user LIMIT 1	1142 ok 1142 1142 ok
UPDATE performance_schema.setup_instruments SET ENABLED = 'YES' WHERE FALSE	1142 1142 1142 1142 ok
CALL sys.ps_setup_reset_to_default(FALSE)	1370 1370 1370 1370 -
RETURN 1	1064 1064 1064 1064 1064
IF TRUE THEN SELECT 1; END IF	1064 1064 1064 1064 1064
LEAVE x	1064 1064 1064 1064 1064
`

// matrixLine is a statement and its answers.
type matrixLine struct {
	statement string
	answers   []string
}

func matrixLines(t *testing.T) (all []matrixLine) {
	for line := range strings.Lines(strings.TrimSpace(matrix)) {
		statement, answers, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		l := matrixLine{statement, strings.Fields(answers)}
		if !ok || len(l.answers) != len(matrixAccounts) {
			t.Fatalf("%q has not one answer for each account", line)
		}
		all = append(all, l)
	}
	return all
}

// errorNumber is the number of an error, ok for none.
func errorNumber(err error) string {
	var e *mysql.MySQLError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &e):
		return strconv.Itoa(int(e.Number))
	}
	return err.Error()
}

// matrixServer is a server with the five accounts and the two databases.
func matrixServer(t *testing.T) *running {
	r := serve(t, Options{Init: []string{
		"CREATE USER none@localhost, selects@localhost, owner@localhost, creator@localhost, victim@localhost",
		"CREATE ROLE boss; GRANT ALL ON *.* TO boss WITH GRANT OPTION",
		"GRANT SELECT ON *.* TO selects@localhost; GRANT CREATE USER ON *.* TO creator@localhost; GRANT ALL ON own.* TO owner@localhost",
	}}, tables.All()...)
	for _, q := range matrixWorld() {
		r.exec(t, q)
	}
	return r
}

// TestPrivilegeMatrix: each kind of statement is answered as MySQL answers each sort of account.
func TestPrivilegeMatrix(t *testing.T) {
	oneAtATime(t)
	r := matrixServer(t)
	accounts := map[string]*sql.DB{}
	for _, name := range matrixAccounts {
		db, err := sql.Open("mysql", name+"@"+r.Addr().Network()+"("+r.addr+")/?multiStatements=false")
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxIdleConns(0) // a statement leaves nothing for the next one
		t.Cleanup(func() { _ = db.Close() })
		accounts[name] = db
	}
	for _, line := range matrixLines(t) {
		for i, name := range matrixAccounts {
			want := line.answers[i]
			if want == "-" {
				continue
			}
			got := matrixAnswer(t.Context(), accounts[name], line.statement)
			if got != want {
				t.Errorf("%s: %s\n got %s\nwant %s", name, line.statement, got, want)
			}
			if got == "ok" && !readsOnly(line.statement) {
				for _, q := range matrixWorld() {
					r.exec(t, q)
				}
			}
		}
	}
}

// matrixAnswer is what an account is answered: ok, or the number of an error.
func matrixAnswer(ctx context.Context, db *sql.DB, statement string) string {
	c, err := db.Conn(ctx)
	if err != nil {
		return fmt.Sprint("cannot log in: ", err)
	}
	defer func() { _ = c.Close() }()
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return errorNumber(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
	}
	return errorNumber(rows.Err())
}

// readsOnly tells whether a statement changes nothing that the others are about.
func readsOnly(statement string) bool {
	switch syntax.FirstWord(statement) {
	case "select", "show", "explain", "describe", "use", "table", "with", "do", "begin", "commit", "rollback", "savepoint", "help", "get", "check", "checksum", "analyze":
		return true
	}
	return false
}
