package accounts

// Statement is a parsed statement about accounts.
type Statement struct {
	// Kind is the last part of the statement's instrument, statement/sql/KIND.
	Kind string
	// Text is the statement without its passwords. End is where the statement ends in the text that
	// was parsed.
	Text string
	End  int

	users         []userSpec // the accounts of CREATE USER, ALTER USER, GRANT TO, REVOKE FROM and others
	renamed       []userSpec // RENAME USER ... TO, in the order of users
	roles         []userSpec
	choice        roleChoice
	ifExists      bool // IF EXISTS, or IF NOT EXISTS
	ignoreUnknown bool // IGNORE UNKNOWN USER
	options       accountOptions
	all           bool // ALL PRIVILEGES
	grants        []grantSpec
	on            target
	withOption    bool // WITH GRANT OPTION, WITH ADMIN OPTION
	hasRows       bool
}

// userSpec is an account in a statement, with its new password.
type userSpec struct {
	ID
	current  bool // CURRENT_USER()
	setsAuth bool
	plugin   string
	password string
	hash     string // IDENTIFIED WITH ... AS: replaces password
	random   bool
	replace  *string // the current password
}

// roleChoice is the kind of role list in SET ROLE and SET DEFAULT ROLE.
type roleChoice int

const (
	someRoles roleChoice = iota
	noRoles
	allRoles
	defaultRoles
	allRolesExcept
)

// accountOptions are the options of CREATE USER and ALTER USER, which hold for all accounts of the
// statement. An option that the statement does not have is nil.
type accountOptions struct {
	locked, expired, tls *bool
	limits               [len(limitOptions)]*int
	failedAttempts       *int
	lockDays             *int
	comment              *string
}

// grantSpec is a privilege in GRANT and REVOKE, with its columns if it is a column privilege.
type grantSpec struct {
	privilege Privilege
	columns   []string
}

// target is the object of a GRANT: *.*, a database, a table, a procedure or a function.
type target struct {
	kind         targetKind
	schema, name string
}

type targetKind int

const (
	onGlobal targetKind = iota
	onSchema
	onTable
	onProcedure
	onFunction
	onProxy
)

// Rows reports whether the statement returns a result set.
func (st *Statement) Rows() bool { return st.hasRows }
