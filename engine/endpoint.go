package engine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"pfsd/engine/accounts"
	"pfsd/engine/errorlog"
)

// Who can reach a server needs a password, unless only this machine can, or the options say
// otherwise by name.

// socketMode is what others may do with the unix socket, as in MySQL, unless somebody can sign in over it without a password.
const socketMode = 0o777

// errNobody is for a program that serves itself and does not say who may come in.
var errNobody = errors.New("nobody could sign in: the options Init or InitFile must make accounts, or SkipGrantTables let everybody in")

// checkAdmission is the error of a server whose accounts the options do not tell of, and which has
// none from before.
func (s *Server) checkAdmission(o Options) error {
	said := len(o.Init) > 0 || o.InitFile != "" || len(o.InitOnce) > 0 || o.SkipGrantTables || o.InitializeInsecure
	if s.fresh && !said {
		return errNobody
	}
	return nil
}

// checkEndpoint is the error of a server that others than this machine can reach without a
// password. It opens the unix socket to others where all need one, and warns of what is open.
func (s *Server) checkEndpoint(o Options) error {
	open, remote := s.withoutPassword(o)
	if o.Socket != "" && len(open) == 0 {
		if err := os.Chmod(o.Socket, socketMode); err != nil {
			return fmt.Errorf("cannot set the mode of --socket %s: %w", o.Socket, errorlog.FileCause(err))
		}
	}
	for _, who := range open {
		s.log.Write(errorlog.EmptyPassword, who)
	}
	for _, addr := range s.listener.Addrs() {
		if a, ok := addr.(*net.TCPAddr); !ok || a.IP.IsLoopback() || o.AllowEmptyPassword || len(remote) == 0 {
			continue
		}
		option := "--bind-address"
		if admin := s.listener.AdminAddr(); admin != nil && addr.String() == admin.String() {
			option = "--admin-address"
		}
		return errorlog.NewStartError(fmt.Errorf("%s can be reached from other machines without a password, by %s: give a password, listen on %s=127.0.0.1, or allow it with --allow-empty-password",
			addr, strings.Join(remote, ", "), option), errorlog.OpenEndpoint)
	}
	return nil
}

// withoutPassword are who can sign in without a password, and those of them who can from other
// machines.
func (s *Server) withoutPassword(o Options) (all, remote []string) {
	if o.SkipGrantTables {
		everybody := []string{"everybody (--skip-grant-tables)"}
		return everybody, everybody
	}
	for _, a := range s.accounts.All() {
		if a.Auth != "" || a.Locked {
			continue
		}
		all = append(all, "'"+a.User+"'@'"+a.Host+"'")
		if !accounts.LocalHost(a.Host) {
			remote = append(remote, all[len(all)-1])
		}
	}
	return all, remote
}
