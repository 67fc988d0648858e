package engine

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"pfsd/engine/captures"
	"pfsd/tables/activesessions"
)

// newSampler makes what takes samples for active_session_history, as the variables say.
func (s *Server) newSampler() {
	s.sampler = activesessions.New(s.options.Model)
	follow := func(variable string, set func(n uint64)) {
		set(s.variables.Global(variable).(uint64))
		s.variables.OnChange(variable, func(value any) { set(value.(uint64)) })
	}
	follow("active_session_history_interval", func(n uint64) { s.sampler.SetInterval(time.Duration(n) * time.Millisecond) })
	follow("active_session_history_size", func(n uint64) { s.sampler.SetSize(int(n)) })
}

// newProfiler makes what takes CPU profiles and execution traces.
func (s *Server) newProfiler() {
	dir := s.options.DataDir
	if dir != "" {
		dir = filepath.Join(dir, "captures")
	}
	s.profiler = captures.New(captures.Config{
		Model: s.options.Model, Dir: dir, Active: s.sampler.Active,
		Start: func(run func()) { s.reg.Go("sql/capture", run) },
	})
}

// startSampler takes samples until stop is called, which returns when the sampler's thread has ended.
func (s *Server) startSampler() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	worker.Add(1)
	s.reg.Go("sql/active_session_sampler", func() {
		defer worker.Done()
		s.sampler.Run(ctx)
	})
	return func() {
		cancel()
		worker.Wait()
	}
}
