//go:build unix

package datadir

import (
	"fmt"
	"os"
	"syscall"
)

// Unsafe permissions of a directory: any for others, writing for the group.
const (
	othersMay     = 0o007
	groupMayWrite = 0o020
)

// permissionWarnings tells what is unsafe about a directory.
func permissionWarnings(path string) (warnings []string) {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		warnings = append(warnings, fmt.Sprintf("Data directory %s belongs to the user with id %d, and the server runs as the one with id %d.", path, s.Uid, os.Geteuid()))
	}
	if perm := info.Mode().Perm(); perm&(othersMay|groupMayWrite) != 0 {
		warnings = append(warnings, fmt.Sprintf("Insecure configuration for --datadir: Location %s is accessible to other OS users, mode %#o. Consider mode 0750.", path, perm))
	}
	return warnings
}
