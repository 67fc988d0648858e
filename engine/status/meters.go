package status

import (
	"strconv"
	"strings"

	"pfsd/instr"
)

// meters are the meters of a server, by what the names of the status variables begin with that
// are their metrics; the last one takes all others.
var meters = []struct{ prefix, name, description string }{
	{commandStatus, "mysql.stats.com", "How many statements there were of each kind."},
	{"Handler_", "mysql.stats.handler", "What statements did with the rows of tables."},
	{"Connection_errors_", "mysql.stats.connection", "Why connections failed."},
	{"Innodb_data_", "mysql.inno.data", "What users' tables did with their files."},
	{"Innodb_", "mysql.inno", "What users' tables did."},
	{"Ssl_", "mysql.stats.ssl", "How connections are encrypted."},
	{prefix, "mysql.perf_schema", "What had no room in performance_schema."},
	{"", "mysql.stats", "What the server has done, and has now."},
}

const commandStatus = "Com_"

// presentStatus begin the names of status variables that say what there is now; all others count
// what there has been.
var presentStatus = []string{"Open_", "Threads_connected", "Threads_running", "Max_used_connections", "Prepared_stmt_count",
	"Innodb_row_lock_current_waits", "Innodb_row_lock_time_avg", "Innodb_row_lock_time_max", "Innodb_data_pending_", "Innodb_os_log_pending_", "Innodb_num_open_files",
	prefix + "session_connect_attrs_longest_seen"}

// Meter makes metrics of the status variables that are numbers and not always the same, for
// exporters: setup_meters and setup_metrics. It returns what takes them away. Metrics that
// another server with the same registry has made stay that one's.
func (s *Server) Meter() (remove func()) {
	known := map[string]bool{}
	for _, m := range s.Registry.Reader().Metrics() {
		known[m.Name()] = true
	}
	constant := map[string]bool{}
	for _, names := range [][]string{unusedNumbers, innodbNumbers, innodbPages, {innodbPageName}} {
		for _, name := range names {
			constant[name] = true
		}
	}
	var made []*instr.Metric
	add := func(status string, read func() int64) {
		name := strings.ToLower(status)
		if known[name] || constant[status] {
			return
		}
		known[name] = true
		made = append(made, meterOf(s.Registry, status).NewMetric(metricType(status), name, metricUnit(status), "The status variable "+status+".", read))
	}
	for _, v := range s.Registry.Reader().StatusVariables() {
		add(v.Name(), func() int64 {
			all := s.Registry.Reader().GlobalStatus()
			return int64(all.Value(v))
		})
	}
	for _, v := range s.GlobalStatus() {
		if _, err := strconv.ParseUint(v.Value, 10, 63); err == nil {
			add(v.Name, func() int64 { return s.number(v.Name) })
		}
	}
	return func() {
		for _, m := range made {
			m.Remove()
		}
	}
}

// number is a status variable of the whole server, 0 if it is none or no number.
func (s *Server) number(name string) int64 {
	for _, v := range s.GlobalStatus() {
		if v.Name == name {
			n, _ := strconv.ParseInt(v.Value, 10, 64)
			return n
		}
	}
	return 0
}

func meterOf(reg *instr.Registry, status string) *instr.Meter {
	for _, m := range meters {
		if strings.HasPrefix(status, m.prefix) {
			return reg.NewMeter(m.name, m.description)
		}
	}
	panic("status: no meter takes all status variables")
}

func metricType(status string) instr.MetricType {
	for _, prefix := range presentStatus {
		if strings.HasPrefix(status, prefix) {
			return instr.MetricGauge
		}
	}
	return instr.MetricCounter
}

func metricUnit(status string) string {
	switch {
	case strings.HasPrefix(status, "Bytes_"), strings.HasSuffix(status, "_bytes"), strings.HasSuffix(status, "_longest_seen"):
		return "By"
	case strings.HasPrefix(status, "Uptime"):
		return "s"
	}
	return ""
}
