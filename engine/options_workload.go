package engine

import (
	"context"
	"fmt"

	"pfsd/engine/workload"
)

// startWorkload runs the workload that the options ask for. stop returns when it has ended,
// and is never nil.
func (s *Server) startWorkload(ctx context.Context) (stop func(), err error) {
	o, addr := s.options, s.Addr()
	if o.Workload == "" {
		return func() {}, nil
	}
	c := workload.Config{
		Name: o.Workload, Rate: o.WorkloadRate, Concurrency: o.WorkloadConcurrency,
		Dir: o.DataDir, Registry: s.reg,
		Logf: func(format string, args ...any) { s.log.write("Warning", fmt.Sprintf(format, args...)) },
	}
	if addr.Network() == "tcp" {
		c.Addr = addr.String()
	}
	end, err := workload.Start(ctx, c)
	if err != nil {
		return func() {}, err
	}
	return func() { end() }, nil
}
