package errorlog

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lines is an argument of a message that may have several lines, such as a stack. All other
// arguments stand in one line. A line of it that looks like the first line of an event gets a blank
// before it.
type Lines string

// text is the argument as the log has it.
func (l Lines) text() string {
	lines := strings.Split(string(l), "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\t") // stacks have tabs
		for j, part := range parts {
			parts[j] = oneLine(part)
		}
		lines[i] = strings.Join(parts, "\t")
		if _, ok := parseLine(lines[i]); ok {
			lines[i] = " " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// oneLine returns text with escapes for what could end the line, or make a terminal show something
// else: control characters, and bytes that are no UTF-8.
func oneLine(text string) string {
	if !strings.ContainsFunc(text, escaped) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && size == 1 || r < utf8.RuneSelf && escaped(r):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case escaped(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// escaped reports whether a character stands as an escape in the log. Bytes that are no UTF-8 are
// utf8.RuneError.
func escaped(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}

// plain is an argument of a message in one line.
type plain struct{ value any }

// Format implements fmt.Formatter.
func (p plain) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprint(f, oneLine(fmt.Sprintf(fmt.FormatString(f, verb), p.value)))
}

// textOf is the text of a message with its arguments.
func textOf(m Message, args []any) string {
	shown := make([]any, len(args))
	for i, a := range args {
		if l, ok := a.(Lines); ok {
			shown[i] = l.text()
		} else {
			shown[i] = plain{a}
		}
	}
	return fmt.Sprintf(m.Format, shown...)
}
