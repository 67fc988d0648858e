package engine

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/connection"
	"pfsd/engine/errorlog"
	"pfsd/engine/scheduler"
)

// newScheduler makes the scheduler of the server's events.
func (s *Server) newScheduler(h *connection.Handler, queue *scheduler.Queue) *scheduler.Scheduler {
	return scheduler.New(scheduler.Config{
		Registry: s.reg, Stages: &h.Stages, Queue: queue, Run: h.RunEvent,
		Databases: func() []sql.Database { return h.Provider.AllDatabases(nil) },
		On:        func() bool { return s.variables.Global("event_scheduler") == "ON" },
		Failed: func(e *scheduler.Event, err error) {
			s.log.Write(errorlog.EventFailed, fmt.Sprintf("%s.%s: %v", e.DB.Name(), e.Name, err))
		},
	})
}
