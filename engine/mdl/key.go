package mdl

// Namespace is what kind of things a name is of, the column OBJECT_TYPE.
type Namespace uint8

// The namespaces.
const (
	Global Namespace = iota
	BackupLock
	Tablespace
	Schema
	Table
	Function
	Procedure
	Trigger
	Event
	Commit
	UserLevelLock
	namespaceCount
)

var namespaces = [namespaceCount]string{
	"GLOBAL", "BACKUP LOCK", "TABLESPACE", "SCHEMA", "TABLE", "FUNCTION", "PROCEDURE", "TRIGGER", "EVENT", "COMMIT", "USER LEVEL LOCK",
}

// String is the namespace's name in SQL.
func (n Namespace) String() string { return namespaces[n] }

// scoped tells whether what the names are of contains other things that are locked: such a
// namespace has the lock types IntentionExclusive, Shared and Exclusive only.
func (n Namespace) scoped() bool {
	switch n {
	case Global, BackupLock, Tablespace, Schema, Commit:
		return true
	}
	return false
}

// Key is what is locked. Letter case matters in it.
type Key struct {
	Namespace    Namespace
	Schema, Name string
}
