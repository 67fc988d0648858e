// Package compat mends what go-mysql-server does differently from MySQL, through its
// public extension points: one gap a file. Each file says what go-mysql-server does,
// what MySQL does, and its test tells when the file is no longer needed. Nothing
// outside package engine knows that the gaps exist.
package compat
