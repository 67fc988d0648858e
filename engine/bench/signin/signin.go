package signin

import (
	"encoding/binary"
	"fmt"
)

// capabilities are those of the clients: a long password, a database, protocol 4.1, transactions, secure connections, plugins.
const capabilities = 1<<0 | 1<<3 | 1<<9 | 1<<13 | 1<<15 | 1<<19

// Root signs in as root without a password, with a current database, "" for none. packet reads the payload of the next packet, of at
// least one byte, and write sends one. The error is what the server says, or that of a function.
func Root(packet func() ([]byte, error), write func(payload []byte) error, database string) error {
	if _, err := packet(); err != nil {
		return err
	}
	hello := binary.LittleEndian.AppendUint32(nil, capabilities)
	hello = binary.LittleEndian.AppendUint32(hello, 1<<24-1)
	hello = append(hello, 45) // utf8mb4_general_ci
	hello = append(hello, make([]byte, 23)...)
	hello = append(hello, "root\x00\x00"...)
	hello = append(append(hello, database...), 0)
	hello = append(hello, "mysql_native_password\x00"...)
	if err := write(hello); err != nil {
		return err
	}
	for {
		p, err := packet()
		if err != nil {
			return err
		}
		switch p[0] {
		case 0:
			return nil
		case 0xff:
			return fmt.Errorf("login: %s", p[3:])
		case 0xfe: // another plugin, which also needs an empty answer without a password
			if err := write(nil); err != nil {
				return err
			}
		}
	}
}
