// Package accounts has the accounts of a server with their passwords, privileges and roles, as
// MySQL 8.4 has them, and executes the statements about them.
//
//  1. Open makes a Store, from a file if there is one.
//  2. Store.Match finds the account of a client, and Account.Authenticate checks its password.
//  3. Store.Access is what an account with its active roles may do.
//
// A Store is safe for concurrent use. What it returns is immutable: each statement that changes an
// account makes a new version of all of them, which Store.Version counts.
//
// privilege.go has the privileges and their names, account.go accounts and how clients are matched
// with them, password.go password hashes and their checks, lock.go FAILED_LOGIN_ATTEMPTS, usage.go
// MAX_USER_CONNECTIONS and other limits, access.go
// what an account may do, statement.go and parse.go the statements about accounts, change.go how
// they are executed, show.go SHOW GRANTS and SHOW CREATE USER, store.go how accounts are stored.
//
// Called by many packages of engine. Calls no other package of the module. Begin reading with
// store.go.
package accounts
