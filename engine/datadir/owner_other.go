//go:build !unix

package datadir

// permissionWarnings tells what is unsafe about a directory, of which modes say nothing here.
func permissionWarnings(string) []string { return nil }
