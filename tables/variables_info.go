package tables

import "time"

// VariableInfoRow is a row of variables_info. Min and Max are numbers in decimal; Time is zero
// for a variable that nobody has set while a server ran.
type VariableInfoRow struct {
	Name, Source, Path, Min, Max string
	Time                         time.Time
	User, Host                   string
}

// Where the values of system variables come from.
//
// MySQL: performance_schema.variables_info, since 8.0.
var _ = register(Def[*VariableInfoRow]{
	Name:     "variables_info",
	Doc:      "Where the values of system variables come from.",
	Recorded: OfServer,
	Columns: []Column[*VariableInfoRow]{
		{Name: "VARIABLE_NAME", Kind: varchar(64), Get: func(r *VariableInfoRow) Value { return Text(cut(r.Name, 64)) }, Doc: "The variable's name."},
		{Name: "VARIABLE_SOURCE", Kind: variableSources.nullable(), Default: "COMPILED", Get: func(r *VariableInfoRow) Value { return Text(r.Source) }, Doc: "What has set the variable last: COMPILED is its default, EXPLICIT the file of --defaults-file, EXTRA that of --defaults-extra-file, PERSISTED mysqld-auto.cnf, DYNAMIC a SET."},
		{Name: "VARIABLE_PATH", Kind: varchar(1024).nullable(), Get: func(r *VariableInfoRow) Value { return Text(cut(r.Path, 1024)) }, Doc: "The file that the value is from; empty if it is from none."},
		{Name: "MIN_VALUE", Kind: varchar(64).nullable(), Get: func(r *VariableInfoRow) Value { return Text(r.Min) }, Doc: "The smallest value, 0 for what is no number."},
		{Name: "MAX_VALUE", Kind: varchar(64).nullable(), Get: func(r *VariableInfoRow) Value { return Text(r.Max) }, Doc: "The largest value, 0 for what is no number."},
		{Name: "SET_TIME", Kind: timestamp(6).nullable(), Get: func(r *VariableInfoRow) Value { return microsecondOrNull(r.Time) }, Doc: "When a SET has set the variable last, microseconds; NULL if none has."},
		{Name: "SET_USER", Kind: char(32).nullable().binary(), Get: func(r *VariableInfoRow) Value { return textOrNull(cut(r.User, 32)) }, Doc: "The user who has; NULL if nobody has."},
		{Name: "SET_HOST", Kind: char(255).nullable().asciiText(), Get: func(r *VariableInfoRow) Value { return textOrNull(cut(r.Host, 255)) }, Doc: "The host of that user; NULL if nobody has."},
	},
	Estimate: variableEstimate,
	Rows:     provided[VariableInfoRow],
})

func microsecondOrNull(t time.Time) Value {
	if t.IsZero() {
		return Null
	}
	return Time(t)
}
