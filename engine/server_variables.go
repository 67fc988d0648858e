package engine

import (
	"net"

	"pfsd/engine/connection"
	"pfsd/tables"
)

// provideVariables has the tables of variables show those of the server.
func (s *Server) provideVariables(h *connection.Handler) {
	s.variables.Provide()
	tables.Provide(tables.Of(s.reg), s.log.Loggers)
	h.ProvideVariables()
}

// withholdVariables takes the tables' rows away, unless another server provides them now.
func (s *Server) withholdVariables() {
	if s.variables == nil || !s.variables.Unserve() {
		return
	}
	tables.Provide[tables.SetupLoggerRow](tables.Of(s.reg), nil)
	tables.Provide[tables.SessionVariableRow](tables.Of(s.reg), nil)
	tables.Provide[tables.ThreadVariableRow](tables.Of(s.reg), nil)
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
