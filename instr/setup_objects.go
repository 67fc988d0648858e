package instr

// ObjectType is the kind of a schema object, OBJECT_TYPE.
type ObjectType uint8

// The types, in the order of setup_objects.
const (
	ObjectEvent ObjectType = iota
	ObjectFunction
	ObjectProcedure
	ObjectTable
	ObjectTrigger
	ObjectTypeCount
)

// SetupObject is a row of setup_objects. "%" stands for any schema or name.
type SetupObject struct {
	Type           ObjectType
	Schema, Name   string
	Enabled, Timed bool
}

// SetupObjects returns the rows of setup_objects. Safe for concurrent use.
func (r *Registry) SetupObjects() []SetupObject { return nil }

// AddSetupObject adds a row. It returns ErrDuplicate or ErrFull. Safe for concurrent use.
func (r *Registry) AddSetupObject(o SetupObject) error { return nil }

// UpdateSetupObject sets the switches of the row with the same type, schema and name, if
// there is one. Safe for concurrent use.
func (r *Registry) UpdateSetupObject(o SetupObject) {}

// RemoveSetupObject removes the row with this type, schema and name, if there is one. Safe
// for concurrent use.
func (r *Registry) RemoveSetupObject(t ObjectType, schema, name string) {}

// ClearSetupObjects removes all rows: TRUNCATE. Safe for concurrent use.
func (r *Registry) ClearSetupObjects() {}

// ObjectSwitches is what setup_objects says of an object. Safe for concurrent use.
func (r *Registry) ObjectSwitches(t ObjectType, schema, name string) (enabled, timed bool) {
	return false, false
}
