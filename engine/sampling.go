package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"pfsd/engine/captures"
	"pfsd/engine/datadir"
	"pfsd/engine/errorlog"
	"pfsd/tables/activesessions"
)

// openHistoryDir locks the directory that Options.HistoryDir names.
func (s *Server) openHistoryDir() (err error) {
	if s.historyDir, err = datadir.Open(s.reg, s.options.HistoryDir); err != nil {
		return s.historyDirError(err)
	}
	for _, w := range s.historyDir.Warnings() {
		s.log.Write(errorlog.DataDirectory, w)
	}
	return nil
}

func (s *Server) historyDirError(err error) error {
	return fmt.Errorf("cannot use --history-dir %s: %w", s.options.HistoryDir, err)
}

// historyPath is the directory of samples, and of the directory of buckets of time; "" if they are in memory.
func (s *Server) historyPath() string {
	switch {
	case s.options.HistoryDir != "":
		return s.options.HistoryDir
	case s.options.DataDir != "":
		return filepath.Join(s.options.DataDir, "history")
	}
	return ""
}

// newSampler makes what takes samples for active_session_history, as the variables say.
func (s *Server) newSampler() {
	s.sampler = activesessions.New(s.options.Model)
	follow := func(variable string, set func(n uint64)) {
		set(s.variables.Global(variable).(uint64))
		s.variables.OnChange(variable, func(value any) { set(value.(uint64)) })
	}
	follow("active_session_history_interval", func(n uint64) { s.sampler.SetInterval(time.Duration(n) * time.Millisecond) })
	follow("active_session_history_size", func(n uint64) { s.sampler.SetSize(int(n)) })
	dir := s.historyPath()
	if dir == "" {
		return
	}
	const fileSize = "active_session_history_file_size"
	warn := func(err error) { s.log.Write(errorlog.DataDirectory, err) }
	class := s.reg.NewFileClass("sql/active_session_history")
	var latest uint64
	s.samples, latest = activesessions.OpenFiles(class, dir, s.variables.Integer(fileSize), warn)
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
