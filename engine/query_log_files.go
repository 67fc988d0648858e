package engine

import (
	"cmp"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/errorlog"
	"pfsd/engine/mysqldb"
	"pfsd/engine/querylog"
)

// logVariables are the variables that say what the slow log and the general log have, and where they are.
var logVariables = []string{"slow_query_log", "slow_query_log_file", "general_log", "general_log_file", "log_output"}

// openQueryLogs makes the slow log and the general log, as the variables have them.
func (s *Server) openQueryLogs() {
	s.queryLogs = querylog.New(querylog.Server{
		Registry: s.reg,
		Join:     func(path string) (string, bool) { return s.dir.Join(path), s.dir.Persistent() },
		Header: func() string {
			port := 0
			if a, ok := s.listener.Addr().(*net.TCPAddr); ok {
				port = a.Port
			}
			return fmt.Sprintf("%s, Version: %s (%s). started with:\nTcp port: %d  Unix socket: %v\nTime                 Id Command    Argument\n",
				errorlog.ProgramName, s.Version(), s.variables.Global("version_comment"), port, s.variables.Global("socket"))
		},
		Local:  func() bool { return s.variables.Global("log_timestamps") == "SYSTEM" },
		Report: func(err error) { s.log.Write(errorlog.QueryLogFailed, err) },
	})
	configure := func(any) {
		text := func(name string) string { v, _ := s.variables.Global(name).(string); return v }
		c := querylog.Config{}
		c.On[querylog.Slow], c.On[querylog.General] = s.variables.Integer("slow_query_log") != 0, s.variables.Integer("general_log") != 0
		c.Path[querylog.Slow] = cmp.Or(text("slow_query_log_file"), "slow.log")
		c.Path[querylog.General] = cmp.Or(text("general_log_file"), "general.log")
		to := strings.Split(text("log_output"), ",")
		for _, name := range to {
			c.File = c.File || name == "FILE"
			c.Table = c.Table || name == "TABLE"
		}
		for _, name := range to {
			if name == "NONE" { // whatever else is there
				c.File, c.Table = false, false
			}
		}
		s.queryLogs.Configure(c)
	}
	configure(nil)
	for _, name := range logVariables {
		s.variables.OnChange(name, configure)
	}
}

// logTables are the tables of the database mysql that show the logs.
func (s *Server) logTables() map[string]mysqldb.LogTable {
	micro := func(d time.Duration) types.Timespan { return types.Timespan(d / time.Microsecond) }
	userHost := func(account, user, host, ip string) string {
		return fmt.Sprintf("%s[%s] @ %s [%s]", account, user, host, ip)
	}
	return map[string]mysqldb.LogTable{
		"slow_log": {
			Rows: func() (rows []sql.Row) {
				for _, e := range s.queryLogs.SlowRows() {
					rows = append(rows, sql.Row{
						e.Start.Truncate(time.Microsecond), userHost(e.Account, e.User, e.Host, e.IP), micro(e.Query), micro(e.Lock), int32(min(e.RowsSent, 1<<31-1)), int32(min(e.RowsExamined, 1<<31-1)),
						e.Schema, int32(0), int32(min(e.InsertID, 1<<31-1)), uint32(e.ServerID), []byte(e.Text), e.Connection,
					})
				}
				return rows
			},
			Truncate: func() { s.queryLogs.Truncate(querylog.Slow) },
		},
		"general_log": {
			Rows: func() (rows []sql.Row) {
				for _, e := range s.queryLogs.GeneralRows() {
					rows = append(rows, sql.Row{
						e.Time.Truncate(time.Microsecond), userHost(e.Account, e.User, e.Host, e.IP), e.Connection, uint32(e.ServerID), e.Command, []byte(e.Argument),
					})
				}
				return rows
			},
			Truncate: func() { s.queryLogs.Truncate(querylog.General) },
		},
	}
}
