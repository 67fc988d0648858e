package mdl

// Namespace is the kind of a locked object, the column OBJECT_TYPE.
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

// String returns the namespace's name in SQL.
func (n Namespace) String() string { return namespaces[n] }

// scoped reports whether objects of the namespace contain other lockable objects. Such a namespace
// has only the lock types IntentionExclusive, Shared and Exclusive.
func (n Namespace) scoped() bool {
	switch n {
	case Global, BackupLock, Tablespace, Schema, Commit:
		return true
	}
	return false
}

// Key identifies a locked object. It is case-sensitive.
type Key struct {
	Namespace    Namespace
	Schema, Name string
}
