package engine

import (
	"context"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/connection"
	"pfsd/engine/throttle"
)

// Variables of the plugin connection_control of MySQL.
const (
	failedThreshold = "connection_control_failed_connections_threshold"
	minDelay        = "connection_control_min_connection_delay"
	maxDelay        = "connection_control_max_connection_delay"
)

// delayLimits are the limits that the variables have.
func (s *Server) delayLimits() throttle.Limits {
	ms := func(name string) time.Duration { return time.Duration(s.variables.Integer(name)) * time.Millisecond }
	return throttle.Limits{Threshold: int(s.variables.Integer(failedThreshold)), Min: ms(minDelay), Max: ms(maxDelay)}
}

// delay has a client wait that tries to sign in, until wait returns. Until it has signed in, it takes no place among the
// connections. The context of wait ends if the server stops, somebody kills the client, or it has gone.
func (s *Server) delay(cl *connection.Client, wait func(context.Context)) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s.clients.SetCancel(&cl.Listed, cancel)
	wait(ctx)
	s.clients.SetCancel(&cl.Listed, nil)
	cancel(nil)
	cl.Wire.SignInWithin(time.Duration(s.variables.Integer("connect_timeout")) * time.Second) // it has not gone on
}

// failedLogins are the rows of CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS, for those who may know of others'
// connections.
func (s *Server) failedLogins(ctx *sql.Context, _, _ string) (rows []sql.Row, err error) {
	if !access.May(ctx, accounts.Process) {
		return nil, nil
	}
	for _, r := range s.throttle.Rows() {
		rows = append(rows, sql.Row{r.UserHost, uint32(r.Failures)})
	}
	return rows, nil
}
