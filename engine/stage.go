package engine

import "pfsd/instr"

// stages are what a statement goes through, under MySQL's names. What MySQL does and this
// server does not, such as locking tables, has none; nor has what has no beginning and end of
// its own here: tables are closed as part of the end of the query, and rows sent while the
// statement executes. Safe for concurrent use.
type stages struct {
	starting, permissions, opening, init, optimizing   *instr.StageClass
	executing, inserting, updating, creating, altering *instr.StageClass
	renaming, explaining, sorting                      *instr.StageClass
	queryEnd, freeing, cleaning                        *instr.StageClass
}

func newStages(reg *instr.Registry) stages {
	stage := func(name string) *instr.StageClass { return reg.NewStageClass("sql/"+name, false) }
	return stages{
		starting: stage("starting"), permissions: stage("checking permissions"), opening: stage("Opening tables"),
		init: stage("init"), optimizing: stage("optimizing"),
		executing: stage("executing"), inserting: stage("update"), updating: stage("updating"),
		creating: stage("creating table"), altering: stage("altering table"),
		renaming: stage("rename"), explaining: stage("explaining"), sorting: stage("Creating sort index"),
		queryEnd: stage("query end"), freeing: stage("freeing items"), cleaning: stage("cleaning up"),
	}
}

// execution is the stage in which a statement of a kind does what it is for.
func (s *stages) execution(kind string) *instr.StageClass {
	switch kind {
	case "insert", "insert_select", "replace", "replace_select":
		return s.inserting
	case "update", "delete":
		return s.updating
	case "create_table":
		return s.creating
	case "alter_table", "create_index", "drop_index":
		return s.altering
	case "rename_table":
		return s.renaming
	}
	return s.executing
}
