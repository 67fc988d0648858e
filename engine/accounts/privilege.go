package accounts

import (
	"math/bits"
	"slices"
	"strings"
)

// A Privilege is a privilege of MySQL. The privileges up to DropRole are static, in the order of
// SHOW GRANTS; the others are dynamic, and are always global.
type Privilege uint8

// The privileges of MySQL 8.4.
const (
	Select Privilege = iota
	Insert
	Update
	Delete
	Create
	Drop
	Reload
	Shutdown
	Process
	File
	GrantOption
	References
	Index
	Alter
	ShowDatabases
	Super
	CreateTemporaryTables
	LockTables
	Execute
	ReplicationSlave
	ReplicationClient
	CreateView
	ShowView
	CreateRoutine
	AlterRoutine
	CreateUser
	Event
	Trigger
	CreateTablespace
	CreateRole
	DropRole

	AllowNonexistentDefiner
	ApplicationPasswordAdmin
	AuditAbortExempt
	AuditAdmin
	AuthenticationPolicyAdmin
	BackupAdmin
	BinlogAdmin
	BinlogEncryptionAdmin
	CloneAdmin
	ConnectionAdmin
	EncryptionKeyAdmin
	FirewallExempt
	FlushOptimizerCosts
	FlushPrivileges
	FlushStatus
	FlushTables
	FlushUserResources
	GroupReplicationAdmin
	GroupReplicationStream
	InnodbRedoLogArchive
	InnodbRedoLogEnable
	OptimizeLocalTable
	PasswordlessUserAdmin
	PersistRoVariablesAdmin
	ReplicationApplier
	ReplicationSlaveAdmin
	ResourceGroupAdmin
	ResourceGroupUser
	RoleAdmin
	SensitiveVariablesObserver
	ServiceConnectionAdmin
	SessionVariablesAdmin
	SetAnyDefiner
	ShowRoutine
	SystemUser
	SystemVariablesAdmin
	TableEncryptionAdmin
	TelemetryLogAdmin
	TransactionGtidTag
	XaRecoverAdmin

	privilegeCount
)

const firstDynamic = AllowNonexistentDefiner

var privilegeNames = [privilegeCount]string{
	"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "GRANT OPTION",
	"REFERENCES", "INDEX", "ALTER", "SHOW DATABASES", "SUPER", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE",
	"REPLICATION SLAVE", "REPLICATION CLIENT", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE",
	"CREATE USER", "EVENT", "TRIGGER", "CREATE TABLESPACE", "CREATE ROLE", "DROP ROLE",

	"ALLOW_NONEXISTENT_DEFINER", "APPLICATION_PASSWORD_ADMIN", "AUDIT_ABORT_EXEMPT", "AUDIT_ADMIN",
	"AUTHENTICATION_POLICY_ADMIN", "BACKUP_ADMIN", "BINLOG_ADMIN", "BINLOG_ENCRYPTION_ADMIN", "CLONE_ADMIN",
	"CONNECTION_ADMIN", "ENCRYPTION_KEY_ADMIN", "FIREWALL_EXEMPT", "FLUSH_OPTIMIZER_COSTS", "FLUSH_PRIVILEGES",
	"FLUSH_STATUS", "FLUSH_TABLES", "FLUSH_USER_RESOURCES", "GROUP_REPLICATION_ADMIN", "GROUP_REPLICATION_STREAM",
	"INNODB_REDO_LOG_ARCHIVE", "INNODB_REDO_LOG_ENABLE", "OPTIMIZE_LOCAL_TABLE", "PASSWORDLESS_USER_ADMIN",
	"PERSIST_RO_VARIABLES_ADMIN", "REPLICATION_APPLIER", "REPLICATION_SLAVE_ADMIN", "RESOURCE_GROUP_ADMIN",
	"RESOURCE_GROUP_USER", "ROLE_ADMIN", "SENSITIVE_VARIABLES_OBSERVER", "SERVICE_CONNECTION_ADMIN",
	"SESSION_VARIABLES_ADMIN", "SET_ANY_DEFINER", "SHOW_ROUTINE", "SYSTEM_USER", "SYSTEM_VARIABLES_ADMIN",
	"TABLE_ENCRYPTION_ADMIN", "TELEMETRY_LOG_ADMIN", "TRANSACTION_GTID_TAG", "XA_RECOVER_ADMIN",
}

// String is the privilege's name in GRANT.
func (p Privilege) String() string { return privilegeNames[p] }

// Dynamic reports whether it is a dynamic privilege. Each dynamic privilege has a GRANT OPTION of
// its own.
func (p Privilege) Dynamic() bool { return p >= firstDynamic }

// PrivilegeNamed finds a privilege by its name in any letter case.
func PrivilegeNamed(name string) (Privilege, bool) {
	i := slices.Index(privilegeNames[:], strings.ToUpper(name))
	return Privilege(max(i, 0)), i >= 0
}

// dynamicNamed finds a dynamic privilege.
func dynamicNamed(name string) (Privilege, bool) {
	i := slices.Index(privilegeNames[firstDynamic:], strings.ToUpper(name))
	return firstDynamic + Privilege(max(i, 0)), i >= 0
}

// Named finds a privilege by its name, in which an underscore may stand for a space.
func Named(name string) (p Privilege, ok bool) {
	i := slices.IndexFunc(privilegeNames[:], func(n string) bool { return strings.ReplaceAll(n, " ", "_") == strings.ReplaceAll(name, " ", "_") })
	return Privilege(max(i, 0)), i >= 0
}

// Set is a set of privileges.
type Set [2]uint64

// SetOf makes a set.
func SetOf(all ...Privilege) (s Set) {
	for _, p := range all {
		s[p/64] |= 1 << (p % 64)
	}
	return s
}

// Has reports whether p is in the set.
func (s Set) Has(p Privilege) bool { return s[p/64]>>(p%64)&1 != 0 }

// HasAll reports whether all of o are in the set.
func (s Set) HasAll(o Set) bool { return o[0]&^s[0] == 0 && o[1]&^s[1] == 0 }

// HasAny reports whether one of o is in the set.
func (s Set) HasAny(o Set) bool { return o[0]&s[0] != 0 || o[1]&s[1] != 0 }

// Empty reports whether the set is empty.
func (s Set) Empty() bool { return s == Set{} }

// With returns the union.
func (s Set) With(o Set) Set { return Set{s[0] | o[0], s[1] | o[1]} }

// Without returns the difference.
func (s Set) Without(o Set) Set { return Set{s[0] &^ o[0], s[1] &^ o[1]} }

// And returns the intersection.
func (s Set) And(o Set) Set { return Set{s[0] & o[0], s[1] & o[1]} }

// Len returns the number of privileges.
func (s Set) Len() int { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// All returns the privileges in their order.
func (s Set) All() (all []Privilege) {
	for p := range privilegeCount {
		if s.Has(p) {
			all = append(all, p)
		}
	}
	return all
}

// Names returns the names of the privileges as GRANT has them, in their order.
func (s Set) Names() (names []string) {
	for _, p := range s.All() {
		names = append(names, p.String())
	}
	return names
}

// The privileges that can be granted on each level.
var (
	ColumnLevel = SetOf(Select, Insert, Update, References)
	TableLevel  = ColumnLevel.With(SetOf(Delete, Create, Drop, GrantOption, Index, Alter, CreateView, ShowView, Trigger))
	schemaLevel = TableLevel.With(SetOf(CreateTemporaryTables, LockTables, Execute, CreateRoutine, AlterRoutine, Event))
	GlobalLevel = staticPrivileges().With(dynamicPrivileges())
	// RoutineLevel is for procedures and functions.
	RoutineLevel = SetOf(Execute, AlterRoutine, GrantOption)
)

func staticPrivileges() Set { return privilegeRange(0, firstDynamic) }

func dynamicPrivileges() Set { return privilegeRange(firstDynamic, privilegeCount) }

func privilegeRange(from, to Privilege) (s Set) {
	for p := from; p < to; p++ {
		s = s.With(SetOf(p))
	}
	return s
}
