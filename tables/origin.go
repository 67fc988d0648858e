package tables

import (
	"fmt"

	"pfsd/instr"
)

// Origin is whom the rows of a table are about, where a server shows what another process has recorded.
type Origin uint8

const (
	// Unclassified is the origin of a table that nobody has thought of: reading it is an error.
	Unclassified Origin = iota
	// OfProgram: they are about the program that was recorded, or the switches of the recording.
	OfProgram
	// OfAny: they are about no process: definitions of databases, privileges, what there is of a kind, or never any rows.
	OfAny
	// OfServer: they are about the server. Who reads them gets a note that says so.
	OfServer
	// NotKept: a recording does not have them. There are none, and a warning says so.
	NotKept
	// Refused: a recording does not have them, and none would be an answer that is wrong: reading the table is an error.
	Refused
)

// Note is what a reader of a table should know; "" if there is nothing.
func (o Origin) Note(schema, table string) string {
	switch o {
	case OfServer:
		return fmt.Sprintf("%s.%s shows the server that reads the recording, not the recorded program", schema, table)
	case NotKept:
		return fmt.Sprintf("%s.%s has no rows: a recording does not have this", schema, table)
	}
	return ""
}

// Err is why a table cannot be read, nil if it can.
func (o Origin) Err(schema, table string) error {
	if o == Refused || o == Unclassified {
		return Refusal(fmt.Sprintf("%s.%s cannot be read: a recording does not have this, and no rows would be a wrong answer", schema, table))
	}
	return nil
}

type shownKey struct{}

// Show says that the server of a registry shows a model, which may be that of a recording; nil ends this. Safe for concurrent use.
func Show(reg *instr.Registry, m Model) {
	if m == nil {
		reg.Reader().Provide(shownKey{}, nil)
		return
	}
	reg.Reader().Provide(shownKey{}, m)
}

// Shown is what the server of a registry shows: else, the registry itself. Safe for concurrent use.
func Shown(reg *instr.Registry) Model {
	if m, ok := reg.Reader().Provided(shownKey{}).(Model); ok {
		return m
	}
	return Of(reg)
}
