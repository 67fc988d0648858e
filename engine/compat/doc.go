// Package compat mends what go-mysql-server does differently from MySQL, through its public extension points. Each file says what
// go-mysql-server does and what MySQL does. The mends that can be switched off by themselves stand in one list, mends.go, with
// statements that prove each of them: docs/mends.md is made of it. Package engine attaches them and nothing outside it knows of them.
// Begin with mend.go and treerules.go.
package compat
