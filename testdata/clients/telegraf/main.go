// Telegraf gathers what Telegraf's input for MySQL gathers, once, with all of its options on that
// are not about MariaDB, Percona Server or a binary log, from the server whose data source name is the argument.
// Each metric is a line of JSON on standard output; each error a line on standard error, and the
// exit code 1.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/influxdata/telegraf/config"
	"github.com/influxdata/telegraf/plugins/inputs/mysql"
	"github.com/influxdata/telegraf/testutil"
)

func main() {
	server := config.NewSecret([]byte(os.Args[1]))
	m := &mysql.Mysql{
		Servers:                             []*config.Secret{&server},
		MetricVersion:                       2,
		IntervalSlow:                        config.Duration(time.Second),
		PerfEventsStatementsDigestTextLimit: 120,
		PerfEventsStatementsLimit:           250,
		PerfEventsStatementsTimeLimit:       86400,
		GatherGlobalVars:                    true,
		GatherProcessList:                   true,
		GatherInfoSchemaAutoInc:             true,
		GatherInnoDBMetrics:                 true,
		GatherReplicaStatus:                 true,
		GatherTableIOWaits:                  true,
		GatherTableLockWaits:                true,
		GatherIndexIOWaits:                  true,
		GatherEventWaits:                    true,
		GatherTableSchema:                   true,
		GatherFileEventsStats:               true,
		GatherPerfEventsStatements:          true,
		GatherPerfSummaryPerAccountPerEvent: true,
		Log:                                 testutil.Logger{Name: "mysql"},
	}
	failed := false
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	check(m.Init())
	var acc testutil.Accumulator
	check(m.Gather(&acc))
	for _, err := range acc.Errors {
		check(err)
	}
	out := json.NewEncoder(os.Stdout)
	for _, metric := range acc.Metrics {
		delete(metric.Tags, "server")
		check(out.Encode(map[string]any{"name": metric.Measurement, "tags": metric.Tags, "fields": metric.Fields}))
	}
	if failed {
		os.Exit(1)
	}
}
