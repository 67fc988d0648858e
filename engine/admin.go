package engine

import (
	"fmt"
	"net"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/config"
	"pfsd/engine/errorlog"
	"pfsd/instr"
)

// The administrators' address is for accounts with SERVICE_CONNECTION_ADMIN: what keeps others out, too many
// connections, clients that do not sign in or statements that run, does not keep them out.

// listenAdmin opens the administrators' address.
func listenAdmin(reg *instr.Registry, addr string) (*instr.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err == nil && (host == "" || config.EveryAddress(host)) {
		err = fmt.Errorf("'%s' is every address", host)
	}
	var s *instr.Listener
	if err == nil {
		s, err = reg.Listen("tcp", addr, "sql/server_tcpip_socket")
	}
	if err != nil {
		return nil, errorlog.NewStartError(fmt.Errorf("cannot listen on --admin-address and --admin-port %s: %w", addr, errorlog.Cause(err)), errorlog.CannotBindTCP)
	}
	return s, nil
}

// needsAdmin is why a client with these rights may not use the administrators' address, nil if it may.
func needsAdmin(r rights) error {
	if !r.access().HasAny(accounts.ServiceConnectionAdmin) {
		return access.ErrNeeds(accounts.ServiceConnectionAdmin)
	}
	return nil
}

// half are the connections of the same address whose clients have not signed in.
func (w *wire) half() *halfOpen {
	if w.admin {
		return w.adminOpens
	}
	return w.opens
}

// adminVariables are the variables that show the administrators' address.
func (s *Server) adminVariables() map[string]any {
	a := s.AdminAddr()
	if a == nil {
		return nil
	}
	host, _, _ := net.SplitHostPort(s.options.AdminAddr)
	return map[string]any{"admin_address": host, "admin_port": uint64(port(a))}
}
