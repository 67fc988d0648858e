package engine

import (
	"context"
	"fmt"

	"pfsd/engine/accounts"
	"pfsd/engine/errorlog"
	"pfsd/engine/workload"
)

// workload is the workload that the options ask for; its name is "" if they ask for none.
func (s *Server) workload() workload.Config {
	o, addr := s.options, s.Addr()
	c := workload.Config{
		Name: o.Workload, Rate: o.WorkloadRate, Concurrency: o.WorkloadConcurrency,
		Dir: o.DataDir, Registry: s.reg,
		Logf: func(format string, args ...any) {
			s.log.Write(errorlog.WorkloadOrProtocol, fmt.Sprintf(format, args...))
		},
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
	config := s.workload()
	if config.Password, err = s.lendAccounts(); err != nil {
		return func() {}, err
	}
	end, err := workload.Start(ctx, config)
	if err != nil {
		return func() {}, err
	}
	return func() { end() }, nil
}

// lendAccounts makes the accounts of the workload, with a password that nobody else knows.
func (s *Server) lendAccounts() (password string, err error) {
	if password, err = accounts.RandomPassword(); err != nil {
		return "", err
	}
	names, grants := workload.Accounts()
	for _, name := range names {
		if err := s.accounts.AddTemporary(name, password); err != nil {
			return "", err
		}
	}
	for _, grant := range grants {
		st, err := accounts.Parse(grant, false)
		if err != nil {
			return "", err
		}
		if _, err := s.accounts.Run(st, &accounts.Session{}); err != nil {
			return "", err
		}
	}
	return password, nil
}
