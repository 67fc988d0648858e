package engine

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"pfsd/engine/captures"
	"pfsd/engine/errorlog"
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
	if s.options.DataDir == "" {
		return
	}
	const fileSize = "active_session_history_file_size"
	warn := func(err error) { s.log.Write(errorlog.DataDirectory, err) }
	class := s.reg.NewFileClass("sql/active_session_history")
	var latest uint64
	s.samples, latest = activesessions.OpenFiles(class, filepath.Join(s.options.DataDir, "history"), s.variables.Integer(fileSize), warn)
	s.variables.OnChange(fileSize, func(value any) { s.samples.SetSize(int64(value.(uint64))) })
	s.sampler.KeepIn(s.samples, latest)
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

// background runs what is to be done on a thread of a class until stop is called, which returns when it has ended.
func (s *Server) background(class string, run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	worker.Add(1)
	s.reg.Go(class, func() {
		defer worker.Done()
		run(ctx)
	})
	return func() {
		cancel()
		worker.Wait()
	}
}
