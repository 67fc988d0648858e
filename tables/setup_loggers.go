package tables

// SetupLoggerRow is a row of setup_loggers; Set changes its level, to one of LoggerLevels.
type SetupLoggerRow struct {
	Name, Level, Doc string
	Set              func(level string)
}

// LoggerLevels are the levels of loggers; each level includes the ones before it.
var LoggerLevels = []string{"none", "error", "warn", "info", "debug"}

// How much the server's loggers say.
//
// Differs: LEVEL holds back what the error log would have; MySQL's is about what is exported by OpenTelemetry.
//
// MySQL: performance_schema.setup_loggers, since 9.2.
var _ = register(Def[*SetupLoggerRow]{
	Name:     "setup_loggers",
	Doc:      "How much the loggers say.",
	Recorded: NotKept,
	Since:    9,
	Columns: []Column[*SetupLoggerRow]{
		{Name: "NAME", Kind: varchar(128), Get: func(r *SetupLoggerRow) Value { return Text(r.Name) }, Doc: "The logger's name."},
		{Name: "LEVEL", Kind: enum(LoggerLevels...), Get: func(r *SetupLoggerRow) Value { return Text(r.Level) }, Set: setLoggerLevel, Doc: "The least that the logger says: error leaves warnings and notes out, info nothing."},
		{Name: "DESCRIPTION", Kind: varchar(1023).nullable(), Get: func(r *SetupLoggerRow) Value { return textOrNull(r.Doc) }, Doc: "What the logger is for."},
	},
	Estimate: func(Model) int { return 1 },
	Rows:     provided[SetupLoggerRow],
})

func setLoggerLevel(_ Model, r *SetupLoggerRow, level Value) error {
	r.Set(level.Str())
	return nil
}
