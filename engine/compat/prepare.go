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
// Code: INVALID_ARGUMENT ...". MySQL: 1064 or a number of its own, as for any other statement.
func PrepareError(packet []byte) (message string, ok bool) {
	const head = 1 + 2 + 6 // error packet, number, SQLSTATE
	if len(packet) < head || packet[0] != mysql.ErrPacket || binary.LittleEndian.Uint16(packet[1:]) != mysql.ERUnknownError {
		return "", false
	}
	message, ok = strings.CutPrefix(string(packet[head:]), "unknown error: Code: INVALID_ARGUMENT")
	return strings.TrimSpace(message), ok
}
