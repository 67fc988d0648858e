package accounts

// Statement is a statement that is about accounts.
type Statement struct {
	// Kind is what MySQL calls it, the last part of statement/sql/KIND.
	Kind string
	// Text is the statement alone, without what it says of passwords, and End where it ends in
	// the text that it was parsed from.
	Text string
	End  int

	users     []userSpec // CREATE USER, ALTER USER, GRANT TO, REVOKE FROM and others: whom it is about
	renamed   []userSpec // RENAME USER ... TO, in the order of users
	roles     []userSpec
	choice    roleChoice
	exists    bool // IF EXISTS, or IF NOT EXISTS
	unknown   bool // IGNORE UNKNOWN USER
	options   accountOptions
	all       bool // ALL PRIVILEGES
	grants    []grantSpec
	on        target
	admin     bool // WITH GRANT OPTION, WITH ADMIN OPTION
	wantsRows bool
}

// userSpec is an account in a statement, and the password that it is to have.
type userSpec struct {
	ID
	current  bool // CURRENT_USER()
	setsAuth bool
	plugin   string
	password string
	hash     string // instead of the password
	random   bool
	replace  *string // the current password
}

// roleChoice is which roles SET ROLE and SET DEFAULT ROLE mean.
type roleChoice int

const (
	someRoles roleChoice = iota
	noRoles
	allRoles
	defaultRoles
	allRolesExcept
)

// accountOptions are what CREATE USER and ALTER USER say of all their accounts; nil is nothing.
type accountOptions struct {
	locked, expired, tls *bool
	maxConnections       *int
	failedAttempts       *int
	lockDays             *int
	comment              *string
}

// grantSpec is a privilege in GRANT and REVOKE, of columns if there are any.
type grantSpec struct {
	privilege Privilege
	columns   []string
}

// target is what privileges are granted on: *.*, a database, a table, a procedure or a
// function.
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

// Rows tells whether it answers with rows.
func (st *Statement) Rows() bool { return st.wantsRows }
