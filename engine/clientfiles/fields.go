package clientfiles

import (
	"bufio"
	"io"
)

// Fields is the format of INTO OUTFILE: FIELDS TERMINATED BY, ENCLOSED BY, ESCAPED BY and LINES STARTING
// BY, TERMINATED BY.
type Fields struct {
	Terminated, Enclosed, Escaped  string
	LinesStarting, LinesTerminated string
	// Optionally means that only texts are enclosed.
	Optionally bool
}

// A Field is a value of a row.
type Field struct {
	Value []byte
	Null  bool
	Text  bool // the type is a character or binary string type
}

// A RowWriter writes rows into a file. It keeps its first error. Owned by one goroutine.
type RowWriter struct {
	fields Fields
	to     *bufio.Writer
	// special are the bytes that are escaped, escape is the byte of ESCAPED BY.
	special [256]bool
	escape  byte
}

// writeBufferSize is how many bytes go to the file at a time.
const writeBufferSize = 64 << 10

// NewRowWriter returns a writer of rows to a file.
func NewRowWriter(to io.Writer, f Fields) *RowWriter {
	w := &RowWriter{fields: f, to: bufio.NewWriterSize(to, writeBufferSize)}
	if f.Escaped == "" {
		return w
	}
	w.escape = f.Escaped[0]
	w.special[0], w.special[w.escape] = true, true
	around := f.Enclosed
	if around == "" {
		around = f.Terminated
	}
	for _, s := range []string{around, f.LinesTerminated} {
		if s != "" {
			w.special[s[0]] = true
		}
	}
	return w
}

// Write writes a row.
func (w *RowWriter) Write(row []Field) error {
	f := &w.fields
	_, err := w.to.WriteString(f.LinesStarting)
	for i, v := range row {
		if i > 0 {
			_, err = w.to.WriteString(f.Terminated)
		}
		switch {
		case v.Null && f.Escaped != "":
			_ = w.to.WriteByte(w.escape)
			err = w.to.WriteByte('N')
		case v.Null:
			_, err = w.to.WriteString("NULL")
		case f.Enclosed != "" && (v.Text || !f.Optionally):
			_, _ = w.to.WriteString(f.Enclosed)
			w.writeEscaped(v.Value)
			_, err = w.to.WriteString(f.Enclosed)
		default:
			w.writeEscaped(v.Value)
		}
	}
	if err != nil {
		return err
	}
	_, err = w.to.WriteString(f.LinesTerminated)
	return err
}

// writeEscaped writes a value.
func (w *RowWriter) writeEscaped(value []byte) {
	if w.fields.Escaped == "" {
		_, _ = w.to.Write(value)
		return
	}
	from := 0
	for i, c := range value {
		if !w.special[c] {
			continue
		}
		_, _ = w.to.Write(value[from:i])
		_ = w.to.WriteByte(w.escape)
		if c == 0 {
			c = '0'
		}
		_ = w.to.WriteByte(c)
		from = i + 1
	}
	_, _ = w.to.Write(value[from:])
}

// Flush writes what is buffered.
func (w *RowWriter) Flush() error { return w.to.Flush() }
