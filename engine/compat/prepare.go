package compat

import (
	"encoding/binary"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
)

// PrepareError returns the parser's message in packet, an answer to COM_STMT_PREPARE, if
// the statement could not be parsed.
//
// go-mysql-server: vitess parses such a statement itself and answers "1105 unknown error:
// syntax error ...". MySQL: 1064, as for any other statement.
func PrepareError(packet []byte) (message string, ok bool) {
	const head = 1 + 2 + 6 // error packet, number, SQLSTATE
	if len(packet) < head || packet[0] != mysql.ErrPacket || binary.LittleEndian.Uint16(packet[1:]) != mysql.ERUnknownError {
		return "", false
	}
	text := string(packet[head:])
	at := strings.Index(text, "syntax error at")
	if !strings.HasPrefix(text, "unknown error: ") || at < 0 {
		return "", false
	}
	return strings.TrimSpace(text[at:]), true
}
