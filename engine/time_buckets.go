package engine

import (
	"path/filepath"

	"pfsd/engine/errorlog"
	"pfsd/engine/history"
	"pfsd/engine/sysvar"
)

// newHistory makes the time buckets of the schema history, as the variables say.
func (s *Server) newHistory() {
	v := s.variables
	limits := func() history.Limits {
		return history.Limits{
			Fine: v.Integer("history_buckets_retention"), Minutes: v.Integer("history_buckets_retention_minutes"), Hours: v.Integer("history_buckets_retention_hours"),
			Bytes: v.Integer("history_buckets_size"), Keys: int(v.Integer("history_buckets_keys")),
		}
	}
	dir := s.historyPath()
	if dir != "" {
		dir = filepath.Join(dir, "buckets")
	}
	s.history = history.Open(s.reg, dir, limits(), func(err error) { s.log.Write(errorlog.DataDirectory, err) })
	for _, name := range []string{"history_buckets_retention", "history_buckets_retention_minutes", "history_buckets_retention_hours", "history_buckets_size", "history_buckets_keys"} {
		v.OnChange(name, func(any) { s.history.SetLimits(limits()) })
	}
	s.collector = history.New(s.options.Model, s.history)
	const interval, on = "history_buckets_interval", "history_buckets"
	s.collector.SetInterval(v.Integer(interval))
	s.collector.SwitchOn(sysvar.IsOn(v.Global(on)))
	v.OnChange(interval, func(n any) { s.collector.SetInterval(int64(n.(uint64))) })
	v.OnChange(on, func(value any) { s.collector.SwitchOn(sysvar.IsOn(value)) })
}
