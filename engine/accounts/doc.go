// Package accounts holds who may use a server, and for what: accounts with their passwords,
// the privileges that GRANT gives them, and roles, as MySQL 8.4 has them.
//
//  1. Open makes a Store, from a file if there is one.
//  2. Store.Match finds the account of a client, and Account.Authenticate checks its password.
//  3. Store.Access is what an account with its active roles may do.
//
// A Store is safe for concurrent use. What it hands out does not change: each statement that
// changes an account makes a new version of all of them, and Store.Version tells.
//
// privilege.go has the privileges and their names, account.go accounts and how clients are
// matched with them, password.go how passwords are kept, access.go what one may do,
// statement.go and parse.go the statements that are about accounts, change.go what they do,
// show.go what SHOW GRANTS and SHOW CREATE USER say, store.go how all of it is kept.
package accounts
