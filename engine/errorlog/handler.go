package errorlog

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"pfsd/instr"
	"pfsd/tables"
)

// Handler returns a handler whose records are events of the log, for the loggers of the program that the server is a part of: PRIO
// is Error, Warning or Note by the record's level, SUBSYSTEM is Program, and DATA the message and its attributes as key=value. Records
// below slog.LevelInfo are none. log_error_verbosity and setup_loggers hold for them. They go to the ring and the file, not to the
// host, whose own they are.
func (l *Log) Handler() slog.Handler { return &handler{log: l} }

// programSubsystem is SUBSYSTEM of events that the program has logged.
const programSubsystem = "Program"

type handler struct {
	log    *Log
	attrs  string // of WithAttrs, each with a blank before it
	groups string // of WithGroup, with dots
}

// priorityOf is the priority of a record of this level.
func priorityOf(level slog.Level) Priority {
	switch {
	case level >= slog.LevelError:
		return Error
	case level >= slog.LevelWarn:
		return Warning
	}
	return Note
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool {
	_, wanted := h.log.wants(priorityOf(level))
	return level >= slog.LevelInfo && wanted
}

// Handle implements slog.Handler.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	p := priorityOf(r.Level)
	zone, wanted := h.log.wants(p)
	if !wanted || r.Level < slog.LevelInfo {
		return nil
	}
	var text strings.Builder
	text.WriteString(r.Message)
	text.WriteString(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		appendAttr(&text, h.groups, a)
		return true
	})
	e := tables.ErrorLogRow{Prio: priorities[p].row, ErrorCode: errorCode(programCode), Subsystem: programSubsystem, Data: oneLine(text.String())}
	if t := instr.Current(); t != nil {
		if info, ok := t.Snapshot(); ok {
			e.ThreadID = info.Process
		}
	}
	h.log.writeOwn(e, p, zone)
	return nil
}

// programCode is the number of events that have none.
const programCode = 10000

// appendAttr appends an attribute as key=value, and those of a group each.
func appendAttr(to *strings.Builder, groups string, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			groups += a.Key + "."
		}
		for _, a := range v.Group() {
			appendAttr(to, groups, a)
		}
		return
	}
	if a.Equal(slog.Attr{}) {
		return
	}
	text := v.String()
	if v.Kind() == slog.KindTime {
		text = v.Time().Format(time.RFC3339Nano)
	}
	to.WriteString(" " + groups + a.Key + "=" + text)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var text strings.Builder
	for _, a := range attrs {
		appendAttr(&text, h.groups, a)
	}
	return &handler{h.log, h.attrs + text.String(), h.groups}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{h.log, h.attrs, h.groups + name + "."}
}
