package engine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/errorlog"
	"pfsd/engine/scheduler"
)

// newScheduler makes the scheduler of the server's events.
func (s *Server) newScheduler(h *handler, queue *scheduler.Queue) *scheduler.Scheduler {
	return scheduler.New(scheduler.Config{
		Registry: s.reg, Stages: &h.stages, Queue: queue, Run: h.runEvent,
		Databases: func() []sql.Database { return h.provider.AllDatabases(nil) },
		On:        func() bool { return s.variables.Global("event_scheduler") == "ON" },
		Failed: func(e *scheduler.Event, err error) {
			s.log.Write(errorlog.EventFailed, fmt.Sprintf("%s.%s: %v", e.DB.Name(), e.Name, err))
		},
	})
}
