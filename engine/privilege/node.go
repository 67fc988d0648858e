package privilege

import "strings"

// NodeRuns reports whether a node of a plan, named PACKAGE.TYPE, may run for accounts without all
// privileges. Other nodes are refused: the engine executes their statements in another way, or not
// at all.
func NodeRuns(name string) bool { return nodes[name] == nodeRuns }

// NodeKnown reports whether a node is in one of the lists.
func NodeKnown(name string) bool { return nodes[name] != 0 }

const (
	nodeRuns = iota + 1
	nodeRefused
)

var nodes = func() map[string]int {
	m := map[string]int{}
	for _, section := range []struct {
		what  int
		names string
	}{{nodeRuns, runningNodes}, {nodeRefused, refusedNodes}} {
		pkg := ""
		for word := range strings.FieldsSeq(section.names) {
			if p, ok := strings.CutSuffix(word, ":"); ok {
				pkg = p
				continue
			}
			m[pkg+"."+word] = section.what
		}
	}
	return m
}()

// runningNodes are the nodes of statements whose privileges have been checked before.
const runningNodes = `
plan:
	AddColumn AlterAutoIncrement AlterDB AlterDefaultDrop AlterDefaultSet AlterEvent AlterIndex AlterPK AlterTableCollation
	AlterTableComment AnalyzeTable BeginEndBlock Block CachedResults Call CaseStatement Close Commit Concat CreateCheck CreateDB
	CreateEvent CreateForeignKey CreateIndex CreateProcedure CreateSavepoint CreateSchema CreateTable CreateTrigger CreateView
	DeallocateQuery DeclareCondition DeclareCursor DeclareHandler DeclareVariables DeferredAsOfTable DeferredFilteredTable
	DeleteFrom Describe DescribeQuery Distinct DropCheck DropColumn DropConstraint DropDB DropEvent DropForeignKey
	DropHistogram DropIndex DropProcedure DropSchema DropTable DropTrigger DropView ElseCaseError EmptyTable ExecuteQuery
	ExternalProcedure Fetch Filter FlushPrivileges ForeignKeyHandler GroupBy HashLookup Having IfConditional IfElseBlock
	IndexedTableAccess InsertDestination InsertInto Into Iterate JSONTable JoinNode Kill Leave Limit LoadData LockTables
	Loop Max1Row ModifyColumn NamedWindows Nothing Offset Open OrderedDistinct PrepareQuery PrependNode Procedure
	ProcedureResolvedTable Project RangeHeap RecursiveCte RecursiveTable Releaser ReleaseSavepoint RenameColumn RenameForeignKey
	RenameTable Repeat ResolvedTable Rollback RollbackSavepoint Set SetOp ShowCharset ShowColumns ShowCreateDatabase
	ShowCreateEvent ShowCreateProcedure ShowCreateTable ShowCreateTrigger ShowDatabases ShowEvents ShowIndexes
	ShowPrivileges ShowProcessList ShowStatus ShowTableStatus ShowTables ShowTriggers ShowVariables ShowWarnings Signal
	SignalName SingleDropView Sort StartTransaction SubqueryAlias TableAlias TableCopier TableCountLookup TopN
	TransformedNamedNode TriggerBeginEndBlock TriggerExecutor Truncate UnlockTables Update UpdateHistogram UpdateJoin
	UpdateSource Use ValueDerivedTable Values VirtualColumnTable While Window With
programs:
	TriggerNode
parsing:
	accountAnswer doNode
nodes:
	Answer
executor:
	Regenerated Stored
grammar:
	Planned
planning:
	Row Triggered
`

// refusedNodes are the nodes of statements that the engine executes without go-mysql-server.
const refusedNodes = `
plan:
	AlterUser Binlog ChangeReplicationFilter ChangeReplicationSource CreateRole CreateSpatialRefSys CreateUser
	DropRole DropUser Grant GrantProxy GrantRole RenameUser ResetReplica Revoke RevokeProxy RevokeRole
	ShowBinlogStatus ShowBinlogs ShowGrants ShowReplicaStatus StartReplica StopReplica StrExpr UnresolvedTable
`
