package engine

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine/wire"
)

// hostileMembers are more alternatives of the grammar: values that lie about their size or nest deep, arguments for which a function needs
// the square of their length, programs that do nothing for ever, and what a session can keep.
var hostileMembers = map[string]string{
	"member": `
		SELECT {member call}
		SELECT {member call} FROM t1 x JOIN t1 y
		SELECT {call} FROM (SELECT {bytes} AS a, {array} AS s) x
		INSERT INTO g1 (g) VALUES ({bytes})
		INSERT INTO g1 (s) VALUES ({bytes})
		INSERT INTO t1 (s, j) VALUES ({bytes}, {array})
		UPDATE g1 SET s = CONCAT(s, {bytes}), g = {bytes}
		CREATE TABLE n{number1} (a INT, g GEOMETRY DEFAULT ({bytes}), j JSON DEFAULT ({array}))
		INSERT INTO n{number1} (a) VALUES (1)
		SET SESSION {textvariable} = {long text}
		SET @@{textvariable} = {long text}
		SET @{variable} = {long text}
		{wide}
		CREATE OR REPLACE VIEW w{number1} AS SELECT * FROM w{number1}
		CREATE OR REPLACE VIEW w{number1} AS SELECT x.* FROM w{number1} x JOIN w{number1} y
		SELECT * FROM (SELECT * FROM (SELECT * FROM w{number1}) x) y
		WITH x AS (SELECT * FROM w{number1}), y AS (SELECT * FROM x) SELECT * FROM y
		CREATE PROCEDURE p{number1}() {endless}
		CREATE FUNCTION f{number1}(x INT) RETURNS INT {endless}
		CREATE EVENT e{number1} ON SCHEDULE EVERY 1 SECOND DO {endless}
		CREATE TRIGGER g{number1} BEFORE INSERT ON t{number1} FOR EACH ROW {endless}
		CALL p{number1}()
		SELECT f{number1}(1)
		CREATE PROCEDURE p{number1}() {keeping}
		{statement}; {statement}
		{statement}; {statement}; {statement}; SELECT {expression}
		{comments}{statement}`,
	"member call": `
		ST_GeomFromWKB({bytes})
		ST_AsText(ST_GeomFromWKB({bytes}))
		ST_GeomFromText({shape})
		ST_Area({bytes})
		ST_GeomFromGeoJSON({array})
		ST_Intersects(ST_GeomFromText({shape}), ST_GeomFromText({shape}))
		ST_Distance(ST_GeomFromText({shape}), ST_GeomFromText({shape}))
		ST_Contains({bytes}, {bytes})
		LENGTH(UNCOMPRESS({bytes}))
		UNCOMPRESSED_LENGTH({bytes})
		VECTOR_TO_STRING({bytes})
		STRING_TO_VECTOR({array})
		JSON_OVERLAPS({array}, {array})
		JSON_CONTAINS({array}, {array})
		JSON_REMOVE({array}, {path}, '$[0]', '$[last]')
		JSON_ARRAY_INSERT({array}, '$[0]', 1, '$[0]', {array})
		JSON_SEARCH({array}, 'all', {text})
		JSON_MERGE_PATCH({array}, {array})
		JSON_MERGE_PRESERVE({array}, {array})
		JSON_SCHEMA_VALID({array}, {array})
		JSON_TYPE(CAST({bytes} AS JSON))
		FIND_IN_SET('b', {long text})
		INSTR({long text}, {long text})
		LOCATE({long text}, {long text}, {number})
		({long text} LIKE CONCAT('%', {long text}, '%b'))
		({long text} REGEXP {pattern})
		LENGTH(REPLACE({long text}, 'aa', {long text}))
		LENGTH(SUBSTRING_INDEX({long text}, 'aaaaaaab', {number}))
		SOUNDEX({long text})
		LENGTH(TRIM(BOTH 'a' FROM {long text}))
		STATEMENT_DIGEST({long text})
		LENGTH(INSERT({long text}, {number}, {number}, {long text}))
		BIT_COUNT({bytes})
		INET6_NTOA({bytes})
		BIN_TO_UUID({bytes})
		AES_DECRYPT({bytes}, 'a')
		CAST({bytes} AS DATETIME)
		CONVERT({bytes} USING {charset})
		{function}({bytes})
		{function}({bytes}, {bytes})
		{function}({array}, {array})
		{function}({long text}, {long text})
		{function}({long text}, {number}, {long text})`,
	"bytes": `
		UNHEX('01{shape type}000000{count}')
		UNHEX('00000000{shape type}{count}')
		UNHEX('01{shape type}000000{count}01{shape type}000000{count}')
		UNHEX('0000000001{shape type}000000{count}{count}')
		UNHEX('01{shape type}000000{count}000000000000f87f000000000000f0ff')
		UNHEX(REPEAT('01{shape type}00000001000000', {many}))
		CONCAT(UNHEX('00000000'), UNHEX(REPEAT('010700000001000000', {many})))
		CONCAT(UNHEX('{count}'), REPEAT('a', {many}))
		CONCAT(UNHEX('{count}'), SUBSTRING(COMPRESS(REPEAT('a', {many})), 5))
		COMPRESS(REPEAT('a', {many}))
		UNHEX('{count}789c')
		x'{count}'
		REPEAT(x'{count}', {many})
		RANDOM_BYTES(64)`,
	"shape type": "07\n01\n02\n03\n04\n05\n06\n00\n0f\nff",
	"count":      "ffffff7f\n00000000\n01000000\nffffffff\n00000080\nffff0000\n7fffffff",
	"many":       "1\n100\n1000\n10000\n60000\n120000\n500000\n1000000",
	"shape": `
		'POINT(1 1)'
		CONCAT('LINESTRING(0 0', REPEAT(',1 1,2 3', {many}), ')')
		CONCAT('POLYGON((0 0', REPEAT(',1 1,2 3', {many}), ',0 0))')
		CONCAT('MULTIPOINT(0 0', REPEAT(',1 1', {many}), ')')
		CONCAT(REPEAT('GEOMETRYCOLLECTION(', {many}), 'POINT(1 1)', REPEAT(')', {many}))
		'POINT(1e999 nan)'
		'MULTIPOLYGON((('`,
	"array": `
		'[]'
		CONCAT('[0', REPEAT(',1', {many}), ']')
		CONCAT('[0', REPEAT(',"a"', {many}), ']')
		CONCAT('[0', REPEAT(',{open}"a":1}', {many}), ']')
		CONCAT(REPEAT('[', {many}), REPEAT(']', {many}))
		CONCAT(REPEAT('{open}"a":', {many}), '1', REPEAT('}', {many}))
		CONCAT('{open}"type":"MultiPoint","coordinates":[[0,0]', REPEAT(',[1,1]', {many}), ']}')
		CONCAT('{open}"properties":', REPEAT('{open}"allOf":[', {many}), '1', REPEAT(']}', {many}), '}')`,
	"long text": `
		'a'
		REPEAT('a', {many})
		CONCAT(REPEAT('a', {many}), 'b')
		REPEAT('a,', {many})
		REPEAT('/*!50001 a*/', {many})
		REPEAT('aé', {many})
		{bytes}`,
	"textvariable": "default_storage_engine\ncharacter_set_client\ncharacter_set_results\ncollation_connection\nlc_messages\nlc_time_names\nsql_mode\noptimizer_switch\ntime_zone\ntransaction_isolation\nsession_track_system_variables\ndebug\ndefault_tmp_storage_engine\nblock_encryption_mode\noptimizer_trace\ngtid_next\nterminology_use_previous\nresultset_metadata\nuse_secondary_engine\nrbr_exec_mode\nbinlog_format",
	"endless": `
		BEGIN END
		l: LOOP ITERATE l; END LOOP
		LOOP BEGIN END; END LOOP
		WHILE 1 DO BEGIN END; END WHILE
		REPEAT BEGIN END; UNTIL 0 END REPEAT
		l: LOOP IF 1 THEN ITERATE l; END IF; END LOOP
		l: LOOP CASE 1 WHEN 1 THEN ITERATE l; END CASE; END LOOP
		BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN END; LOOP SET @v1 = 1; END LOOP; END
		BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; LOOP DO SLEEP(1); END LOOP; END
		LOOP CALL p1(1); END LOOP`,
	"keeping": `
		BEGIN END
		BEGIN DECLARE x, y, z LONGTEXT DEFAULT {long text}; CALL p{number1}(); END
		BEGIN DECLARE c CURSOR FOR {select}; DECLARE d CURSOR FOR SELECT {long text} FROM information_schema.collations; OPEN c; OPEN d; END
		BEGIN DECLARE c CURSOR FOR SELECT {long text} FROM information_schema.columns; OPEN c; BEGIN DECLARE d CURSOR FOR SELECT {long text} FROM information_schema.columns; OPEN d; END; END
		BEGIN DECLARE x LONGTEXT; l: LOOP SET x = CONCAT(IFNULL(x, ''), {long text}); END LOOP; END`,
	"comments": "{nothing}\n/**/\n/*!50001 */\n/*!99999 a*/\n-- a{newline}\n#{newline}\n/*M!100100 a*/\n/*+ a*/\n;\n;;\n/*!50001 {comments}*/{comments}\n{comments}{comments}",
	"wide":     "SELECT 1\n{wide list}\n{flat}",
}

// hostileWide are more lists that a long text repeats: those before the beginning of a statement, statements, and columns of views.
var hostileWide = [][3]string{
	{"", "/*!50001 a*/ ", "SELECT 1"}, {"", "/*!50001 SELECT*/ ", "1"}, {"", "/**/", "SELECT 1"}, {"", "/*!99999 a*/", "SELECT 1"}, {"", "/*M!100100 a*/", "SELECT 1"}, {"SELECT ", "/*!50001 1 +*/ ", "1"}, {"", "#\n", "SELECT 1"},
	{"", "-- \n", "SELECT 1"}, {"", ";", "SELECT 1"}, {"SELECT 1", ";SELECT 1", ""}, {"SELECT 1", ";SELECT", ""}, {"DO 1", ";SET @v1 = #", ""}, {"", "(", "SELECT 1"}, {"", "/*!50001 ", "SELECT 1"}, {"", "/*", "SELECT 1"}, {"", "\n", "SELECT 1"},
	{"CREATE OR REPLACE VIEW w1 AS SELECT 1 AS a", ",1 AS a#", ""}, {"CREATE OR REPLACE VIEW w2 AS SELECT x.*", ",x.a AS b#", " FROM w1 x"}, {"SELECT * FROM (SELECT *", ",1 AS c#", " FROM w1) x"}, {"SELECT ", "x.*,", "1 FROM w1 x"},
	{"SELECT FROM", "_WINDOW FROM(", ""}, {"SELECT N", "'a' N", ""}, {"SELECT @", "@a", ""}, {"DELIMITER ", "DELIMITER ", ""}, {"", "IDENTIFIED BY ", ""}, {"", "SET PASSWORD ", ""}, {"BEGIN;", "SAVEPOINT a#;", "ROLLBACK"},
}

// A parameterized statement has values that a client sends in the protocol's form.
type parameterized struct {
	text   string
	values []any
	packet []byte // types and values as a client sends them, if they are written here and not by the driver
}

// hostilePrepared are what is prepared for two parameters.
var hostilePrepared = []string{
	"SELECT ?, ?", "SELECT CONCAT(?, ?)", "SELECT ? + ?", "SELECT DATE_ADD(?, INTERVAL ? DAY)", "SELECT * FROM t1 WHERE d = ? OR b = ?", "INSERT INTO t1 (d, b) VALUES (?, ?)",
	"INSERT INTO t1 (j, s) VALUES (?, ?)", "UPDATE t1 SET d = ? WHERE b < ?", "SELECT ROUND(?, ?), TRUNCATE(1, 2)", "SELECT JSON_ARRAY(?, ?)", "SELECT a FROM t1 ORDER BY ? LIMIT ?",
	"SELECT CAST(? AS DECIMAL(65,30)), CAST(? AS SIGNED)", "SELECT ST_GeomFromWKB(?), UNCOMPRESS(?)", "SELECT SEC_TO_TIME(?), FROM_UNIXTIME(?)", "CALL p1(?)", "SELECT FORMAT(?, 2), MAKETIME(?, 1, 1)",
}

// parameterized makes a prepared statement, and its values.
func (g *hostileText) parameterized() parameterized {
	p := parameterized{text: hostilePrepared[g.choose(len(hostilePrepared))]}
	numbers := []any{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), int64(math.MinInt64), uint64(math.MaxUint64), nil, "", []byte{0xff, 0}, time.Time{}, true}
	if g.choose(2) == 0 {
		p.values = []any{numbers[g.choose(len(numbers))], numbers[g.choose(len(numbers))]}
		return p
	}
	types := []byte{12, 7, 10, 11, 13, 5, 4, 8, 246, 245, 255, 252, 6, 16, 14, 99}
	p.packet = append(p.packet, 0, 1) // no NULL, with types
	for range 2 {
		p.packet = append(p.packet, types[g.choose(len(types))], byte(g.choose(2)<<7))
	}
	lengths := []int{11, 7, 4, 12, 8, 0, 1, 3, 5, 13, 255, 252, 254}
	for range 2 {
		n := lengths[g.choose(len(lengths))]
		p.packet = append(p.packet, byte(n))
		for range min(n, 16) {
			p.packet = append(p.packet, byte(g.choose(256)))
		}
	}
	return p
}

// String shows the statement.
func (p *parameterized) String() string {
	return fmt.Sprintf("%s; %v %x", p.text, p.values, p.packet)
}

// send prepares the statement and carries it out.
func (s *hostileSession) send(p *parameterized) error {
	if p.packet == nil {
		c, err := s.conn.PrepareContext(context.Background(), p.text)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		if p.text == "CALL p1(?)" {
			p.values = p.values[:1]
		}
		rows, err := c.QueryContext(context.Background(), p.values...)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return errors.Join(rows.Err(), rows.Close())
	}
	return sendPacket(s.addr, p)
}

// sendPacket prepares and executes a statement with packets of its own, and returns the error that the server answers with.
func sendPacket(addr string, p *parameterized) (err error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(hostileStop))
	in := bufio.NewReader(c)
	read := func() []byte {
		var head [4]byte
		_, e := io.ReadFull(in, head[:])
		packet := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
		if e == nil {
			_, e = io.ReadFull(in, packet)
		}
		switch {
		case err != nil:
		case e != nil:
			err = e
		case len(packet) > 9 && packet[0] == 0xff:
			err = &mysql.MySQLError{Number: binary.LittleEndian.Uint16(packet[1:]), Message: string(packet[9:])}
		}
		return packet
	}
	read()
	hello := append(binary.LittleEndian.AppendUint32(nil, rawCapabilities), make([]byte, 4+1+23)...)
	hello[8] = utf8mb4
	_, _ = c.Write(frame(1, append(hello, "open\x00\x00mysql_native_password\x00"...)))
	read()
	_, _ = c.Write(commandOf(wire.ComInitDB, []byte("scratch")...))
	read()
	_, _ = c.Write(commandOf(wire.ComStmtPrepare, []byte(p.text)...))
	answer := read()
	if err != nil || len(answer) < 9 {
		return err
	}
	_, _ = c.Write(statementOf(wire.ComStmtExec, binary.LittleEndian.Uint32(answer[1:]), append([]byte{0, 1, 0, 0, 0}, p.packet...)...))
	_, _ = c.Write(commandOf(wire.ComQuit))
	for err == nil {
		read()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}
