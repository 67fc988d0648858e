package tables

type temporaryAccountLock struct{}

// Accounts that are locked for a time after wrong passwords.
//
// MySQL: performance_schema.temporary_account_locks, since 9.2.
var _ = register(Def[temporaryAccountLock]{
	Name:     "temporary_account_locks",
	Doc:      "Accounts that are locked for a time.",
	Recorded: OfAny,
	Empty:    "FAILED_LOGIN_ATTEMPTS of accounts has no effect",
	Since:    9,
	Columns: []Column[temporaryAccountLock]{
		{Name: "USER", Kind: char(32).binary(), Get: noLock, Doc: "The account's user."},
		{Name: "HOST", Kind: char(255).asciiText(), Get: noLock, Doc: "The account's host."},
		{Name: "LOCKED", Kind: yesNo, Get: noLock, Doc: "YES if the account is locked now."},
		{Name: "FAILED_LOGIN_ATTEMPTS", Kind: integer, Get: noLock, Doc: "How many wrong passwords lock the account."},
		{Name: "REMAINING_LOGIN_ATTEMPTS", Kind: integer, Get: noLock, Doc: "How many wrong passwords are left until then."},
		{Name: "PASSWORD_LOCK_TIME", Kind: integer, Get: noLock, Doc: "How long the account is locked then, days."},
		{Name: "LOCKED_SINCE", Kind: Kind{Type: TypeDate}.nullable(), Get: noLock, Doc: "The day it was locked; NULL if it is not."},
		{Name: "LOCKED_UNTIL", Kind: Kind{Type: TypeDate}.nullable(), Get: noLock, Doc: "The day it is not any more; NULL if it is not locked."},
	},
	Indexes:  []Index{{Name: "ACCOUNT", Columns: []string{"USER", "HOST"}, Unique: true}},
	Estimate: func(Model) int { return 0 },
	Rows:     func(Model, Key) Source[temporaryAccountLock] { return list[temporaryAccountLock](nil) },
})

func noLock(temporaryAccountLock) Value { return Null }
