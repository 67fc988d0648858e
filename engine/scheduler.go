package engine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/connection"
	"pfsd/engine/errorlog"
	"pfsd/engine/history"
	"pfsd/engine/scheduler"
	"pfsd/instr"
	"pfsd/tables"
)

// sampleMetrics has the scheduler read the metrics that people make.
func (s *Server) sampleMetrics(h *connection.Handler, queue *scheduler.Queue) {
	meter := s.reg.NewMeter("pfsd.metrics", "What the SELECTs of events_waits_history_metric give. NO stops reading them.")
	s.history.Sample(history.Sampling{
		Meter: meter, Check: h.CheckMetric, Read: h.ReadMetric,
		On: func() bool {
			return meter.Enabled() && s.collector.On() && s.options.Model.Setup().Consumer(instr.ConsumerEventsWaitsHistoryMetric)
		},
		Changed: func() { queue.Change(func() {}) },
		Failed: func(m tables.UserMetric, err error) {
			s.log.Write(errorlog.EventFailed, fmt.Sprintf("the metric %s of %s cannot be read, which is said once: %v", m.Name, m.By, err))
		},
	})
}

// newScheduler makes the scheduler of the server's events.
func (s *Server) newScheduler(h *connection.Handler, queue *scheduler.Queue) *scheduler.Scheduler {
	return scheduler.New(scheduler.Config{
		Registry: s.reg, Stages: &h.Stages, Queue: queue, Run: h.RunEvent,
		Metrics:   s.history.Due,
		Databases: func() []sql.Database { return h.Provider.AllDatabases(nil) },
		On:        func() bool { return s.variables.Global("event_scheduler") == "ON" },
		Failed: func(e *scheduler.Event, err error) {
			s.log.Write(errorlog.EventFailed, fmt.Sprintf("%s.%s: %v", e.DB.Name(), e.Name, err))
		},
	})
}
