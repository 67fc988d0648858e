package stages

import (
	"pfsd/engine/mdl"
	"pfsd/instr"
)

// Classes are the instruments of the stages that a statement goes through, under MySQL's names. What MySQL does and this
// server does not, such as locking tables, has none; docs/differences.md has a list. Safe for
// concurrent use.
type Classes struct {
	Starting, Permissions, Opening, Init               *instr.StageClass
	Optimizing, Statistics, Preparing                  *instr.StageClass
	executing, inserting, updating, creating, altering *instr.StageClass
	renaming, explaining, sorting                      *instr.StageClass
	UserSleep, UserLock                                *instr.StageClass
	EmptyQueue, NextActivation                         *instr.StageClass // of the scheduler of events
	// They tell how far they are; reading, rowUpdates, rowDeletes and writing take the place of
	// the stages before where there are many rows.
	copying, reading, rowUpdates, rowDeletes, writing *instr.StageClass
	HeldBack                                          *instr.StageClass // its like is not in MySQL
	Closing, Committing, QueryEnd, Freeing, Cleaning  *instr.StageClass
	// Waiting for a lock on a name; that of GET_LOCK is in UserLock.
	Locks map[mdl.Namespace]*instr.StageClass
}

// New makes the instruments of the stages.
func New(reg *instr.Registry) Classes {
	stage := func(name string) *instr.StageClass { return reg.NewStageClass("sql/"+name, false) }
	progress := func(name string) *instr.StageClass { return reg.NewStageClass("sql/"+name, true) }
	return Classes{
		Starting: stage("starting"), Permissions: stage("checking permissions"), Opening: stage("Opening tables"),
		Init: stage("init"), Optimizing: stage("optimizing"), Statistics: stage("statistics"), Preparing: stage("preparing"),
		executing: stage("executing"), inserting: stage("update"), updating: stage("updating"),
		creating: stage("creating table"), altering: stage("altering table"),
		renaming: stage("rename"), explaining: stage("explaining"), sorting: progress("Creating sort index"),
		copying: progress("copy to tmp table"), reading: progress("Sending data"),
		rowUpdates: progress("Applying batch of row changes (update)"),
		rowDeletes: progress("Applying batch of row changes (delete)"),
		writing:    progress("Applying batch of row changes (write)"),
		UserSleep:  stage("User sleep"), UserLock: stage("User lock"),
		HeldBack:   stage("Waiting for processor time"),
		EmptyQueue: stage("Waiting on empty queue"), NextActivation: stage("Waiting for next activation"),
		Closing: stage("closing tables"), Committing: stage("waiting for handler commit"),
		QueryEnd: stage("query end"), Freeing: stage("freeing items"), Cleaning: stage("cleaning up"),
		Locks: map[mdl.Namespace]*instr.StageClass{
			mdl.Global: stage("Waiting for global read lock"), mdl.BackupLock: stage("Waiting for backup lock"),
			mdl.Schema: stage("Waiting for schema metadata lock"), mdl.Table: stage("Waiting for table metadata lock"),
			mdl.Function:  stage("Waiting for stored function metadata lock"),
			mdl.Procedure: stage("Waiting for stored procedure metadata lock"), mdl.Trigger: stage("Waiting for trigger metadata lock"),
			mdl.Event: stage("Waiting for event metadata lock"), mdl.Commit: stage("Waiting for commit lock"),
		},
	}
}

// execution is the stage in which a statement of a kind does what it is for.
func (c *Classes) execution(kind string) *instr.StageClass {
	switch kind {
	case "insert", "insert_select", "replace", "replace_select":
		return c.inserting
	case "update", "delete":
		return c.updating
	case "create_table":
		return c.creating
	case "alter_table", "create_index", "drop_index":
		return c.altering
	case "rename_table":
		return c.renaming
	}
	return c.executing
}

// long is the stage in which it reads or writes many rows.
func (c *Classes) long(kind string) *instr.StageClass {
	switch kind {
	case "insert", "insert_select", "replace", "replace_select", "create_table":
		return c.writing
	case "update", "update_multi":
		return c.rowUpdates
	case "delete", "delete_multi":
		return c.rowDeletes
	}
	return c.reading
}
