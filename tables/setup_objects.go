package tables

import "pfsd/instr"

// Which schema objects are watched: one takes ENABLED and TIMED from the row of its type,
// schema and name, or else from one with % for the name, or for both; without a row it is
// not watched.
//
// MySQL: performance_schema.setup_objects, since 5.6.
var _ = register(Def[*instr.SetupObject]{
	Name:     "setup_objects",
	Doc:      "The schema objects that are watched.",
	Recorded: OfServer,
	Columns: []Column[*instr.SetupObject]{
		{Name: "OBJECT_TYPE", Kind: objectTypes, Default: "TABLE", Get: objectType, Doc: "The object's type."},
		{Name: "OBJECT_SCHEMA", Kind: varchar(64).nullable(), Default: "%", Get: func(r *instr.SetupObject) Value { return textOrNull(r.Schema) }, Doc: "The object's schema; % stands for any, NULL and the empty text for none."},
		{Name: "OBJECT_NAME", Kind: varchar(64), Default: "%", Get: func(r *instr.SetupObject) Value { return Text(r.Name) }, Doc: "The object's name; % stands for any."},
		{Name: "ENABLED", Kind: yesNo, Default: "YES", Get: func(r *instr.SetupObject) Value { return yes(r.Enabled) }, Set: func(model Model, r *instr.SetupObject, v Value) error {
			model.Setup().UpdateObject(*r, func(row *instr.SetupObject) { row.Enabled = isYes(v) })
			return nil
		}, Doc: "Whether events on the object are counted and recorded."},
		{Name: "TIMED", Kind: yesNo, Default: "YES", Get: func(r *instr.SetupObject) Value { return yes(r.Timed) }, Set: func(model Model, r *instr.SetupObject, v Value) error {
			model.Setup().UpdateObject(*r, func(row *instr.SetupObject) { row.Timed = isYes(v) })
			return nil
		}, Doc: "Whether events on the object are timed."},
	},
	Indexes:  []Index{{Name: "OBJECT", Columns: []string{"OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"}, Unique: true}},
	Estimate: func(Model) int { return 20 },
	Rows: func(model Model, key Key) Source[*instr.SetupObject] {
		return mapped(list(setupObjectsOf(model, key)), func(r *instr.SetupObject, o instr.SetupObject) bool {
			*r = o
			return key.allows("OBJECT_TYPE", objectType(r)) && key.allows("OBJECT_SCHEMA", textOrNull(o.Schema)) && key.allows("OBJECT_NAME", Text(o.Name))
		})
	},
	Insert: func(model Model, row []Value) error {
		return model.Setup().AddObject(instr.SetupObject{
			Type: instr.ObjectType(objectTypes.member(row[0].s)), Schema: row[1].s, Name: row[2].s, Enabled: isYes(row[3]), Timed: isYes(row[4]),
		})
	},
	Delete: func(model Model, r *instr.SetupObject) error {
		model.Setup().RemoveObject(r.Type, r.Schema, r.Name)
		return nil
	},
	Truncate: func(model Model) { model.Setup().ClearObjects() },
})

func objectType(r *instr.SetupObject) Value { return Text(objectTypes.Values[r.Type]) }

// setupObjectsOf returns the rows whose type, schema and name key gives, or all.
func setupObjectsOf(model Model, key Key) []instr.SetupObject {
	kind, hasKind := key.Text("OBJECT_TYPE")
	schema, hasSchema := key.name(model, "OBJECT_SCHEMA")
	name, hasName := key.name(model, "OBJECT_NAME")
	if !hasKind || !hasSchema || !hasName {
		return model.Setup().Objects()
	}
	t := objectTypes.member(kind)
	if t < 0 {
		return nil
	}
	return model.Setup().ObjectsNamed(instr.ObjectType(t), schema, name)
}
