package engine

import (
	"context"
	"fmt"

	"pfsd/engine/workload"
)

// workload is the workload that the options ask for; its name is "" if they ask for none.
func (s *Server) workload() workload.Config {
	o, addr := s.options, s.Addr()
	c := workload.Config{
		Name: o.Workload, Rate: o.WorkloadRate, Concurrency: o.WorkloadConcurrency,
		Dir: o.DataDir, Registry: s.reg,
		Logf: func(format string, args ...any) { s.log.write(logWorkloadOrProtocol, fmt.Sprintf(format, args...)) },
	}
	if addr.Network() == "tcp" {
		c.Addr = addr.String()
	}
	return c
}

// checkWorkload tells why the workload cannot run, if it cannot.
func (s *Server) checkWorkload() error {
	if s.options.Workload == "" {
		return nil
	}
	return workload.Check(s.workload())
}

// startWorkload runs the workload that the options ask for. stop returns when it has ended,
// and is never nil.
func (s *Server) startWorkload(ctx context.Context) (stop func(), err error) {
	if s.options.Workload == "" {
		return func() {}, nil
	}
	end, err := workload.Start(ctx, s.workload())
	if err != nil {
		return func() {}, err
	}
	return func() { end() }, nil
}
