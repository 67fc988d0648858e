package tables

import (
	"strings"

	"pfsd/instr"
)

type instrumentRow struct {
	class          *instr.Class
	enabled, timed bool
	properties     instr.Property
	controlled     bool
}

// Every instrument, and whether it is on. An UPDATE counts at once for all that starts
// afterwards, of existing objects too.
//
// Differs: rows appear when the code first names an instrument, not all at the start.
//
// MySQL: performance_schema.setup_instruments, since 5.5.
var _ = register(Def[*instrumentRow]{
	Name:     "setup_instruments",
	Doc:      "The instruments, and which of them are on.",
	Recorded: OfProgram,
	Columns: []Column[*instrumentRow]{
		eventName("NAME", func(r *instrumentRow) *instr.Class { return r.class }),
		{Name: "ENABLED", Kind: yesNo, Get: func(r *instrumentRow) Value { return yes(r.enabled) }, Set: setEnabled, Doc: "Whether events are counted and recorded."},
		{Name: "TIMED", Kind: yesNo.nullable(), Get: (*instrumentRow).isTimed, Set: setTimed, Doc: "Whether events are timed; NULL for an instrument that has no times."},
		{Name: "PROPERTIES", Kind: set("singleton", "progress", "user", "global_statistics", "mutable", "controlled_by_default"), Get: func(r *instrumentRow) Value { return Text(propertyTexts[r.properties]) }, Doc: "What kind of instrument it is."},
		{Name: "FLAGS", Kind: set("controlled").nullable(), Get: (*instrumentRow).flags, Set: setFlags, Doc: "Whether memory counts towards the controlled memory; NULL for anything but memory."},
		{Name: "VOLATILITY", Kind: integer, Get: func(r *instrumentRow) Value { return Int(int64(r.class.Volatility())) }, Doc: "How long its objects live, the higher the shorter; 0 is unknown."},
		{Name: "DOCUMENTATION", Kind: longtext.nullable(), Get: func(r *instrumentRow) Value { return textOrNull(r.class.Documentation()) }, Doc: "What the instrument measures, if it says so."},
	},
	Indexes:  []Index{{Name: "PRIMARY", Columns: []string{"NAME"}, Unique: true}},
	Estimate: func(model Model) int { return len(model.Classes()) },
	Rows: func(model Model, key Key) Source[*instrumentRow] {
		return mapped(list(classes(model, key, "NAME", allKinds...)), func(r *instrumentRow, c *instr.Class) bool {
			*r = instrumentRow{c, c.Enabled(), c.Timed(), c.Properties(), c.Controlled()}
			return true
		})
	},
})

// isTimed is the column TIMED.
func (r *instrumentRow) isTimed() Value {
	if r.class.Kind().Timeless() {
		return Null
	}
	return yes(r.timed)
}

func setEnabled(model Model, r *instrumentRow, v Value) error {
	model.Setup().SetEnabled(r.class, isYes(v))
	return nil
}

// setTimed ignores a value that does not apply to the instrument, as MySQL does.
func setTimed(model Model, r *instrumentRow, v Value) error {
	if r.class.Kind().Timeless() {
		return nil
	}
	model.Setup().SetTimed(r.class, isYes(v))
	return nil
}

// flags is the column FLAGS.
func (r *instrumentRow) flags() Value {
	switch {
	case r.class.Kind() != instr.KindMemory:
		return Null
	case r.controlled:
		return Text("controlled")
	}
	return Text("")
}

// setFlags ignores a value that does not apply to the instrument, as MySQL does.
func setFlags(model Model, r *instrumentRow, v Value) error {
	model.Setup().SetControlled(r.class, v.Str() == "controlled")
	return nil
}

// propertyTexts is the text of each set of properties, as the column PROPERTIES shows it.
var propertyTexts = func() (texts [instr.ControlledByDefault << 1]string) {
	names := []string{"singleton", "progress", "user", "global_statistics", "mutable", "controlled_by_default"}
	for p := range texts {
		var in []string
		for bit, name := range names {
			if p>>bit&1 != 0 {
				in = append(in, name)
			}
		}
		texts[p] = strings.Join(in, ",")
	}
	return texts
}()
