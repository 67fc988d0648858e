// Package compat has what go-mysql-server and its parser vitess do otherwise than MySQL. It attaches MySQL's behaviour to their public
// extension points. One file has one mend, or a few that share code; its comment says what go-mysql-server does and what MySQL does. The
// list of all mends is in mends.go, and docs/mends.md is generated from it. Package engine attaches the mends; no package above it knows
// of them. Begin reading at mend.go and treerules.go.
package compat
