package engine

import "log/slog"

// ProgramLog is a handler that shows what the program logs in error_log, beside the server's own events:
//
//	slog.SetDefault(slog.New(slog.NewMultiHandler(slog.Default().Handler(), server.ProgramLog())))
//
// PRIO is Error, Warning or Note, SUBSYSTEM is Program, and DATA the message with its attributes. Warnings and errors are kept by default,
// slog.LevelInfo with log_error_verbosity = 3. It takes no handler of the program's, and its events do not go to Options.Log and
// Options.LogHandler. Safe for concurrent use.
func (s *Server) ProgramLog() slog.Handler { return s.log.Handler() }
