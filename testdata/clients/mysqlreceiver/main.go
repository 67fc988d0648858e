// Mysqlreceiver runs OpenTelemetry's receiver for MySQL, with all of its metrics, query samples
// and top queries on, against the server whose address, user and password are the arguments, until
// it has seen each of them or two minutes have passed. Each data point and each event is a line of
// JSON on standard output; what the receiver logs as a warning or an error is a line on standard
// error, and the exit code 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/mysqlreceiver"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// patience is how long the receiver may take.
const patience = 2 * time.Minute

// point is what comes out: a data point of a metric, or an event.
type point struct {
	Name       string         `json:"name"`
	Attributes map[string]any `json:"attributes"`
	Value      float64        `json:"value"`
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, user, password string) error {
	factory := mysqlreceiver.NewFactory()
	config := factory.CreateDefaultConfig().(*mysqlreceiver.Config)
	config.Endpoint, config.Username, config.Password = address, user, configopaque.String(password)
	config.TLS.Insecure = true
	config.CollectionInterval, config.InitialDelay = time.Second, time.Millisecond
	config.TopQueryCollection.CollectionInterval = time.Second
	enable(reflect.ValueOf(&config.MetricsBuilderConfig.Metrics).Elem())
	enable(reflect.ValueOf(&config.LogsBuilderConfig.Events).Elem())

	core, complaints := observer.New(zapcore.WarnLevel)
	settings := receivertest.NewNopSettings(factory.Type())
	settings.Logger = zap.New(core)
	metrics, logs := new(consumertest.MetricsSink), new(consumertest.LogsSink)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m, err := factory.CreateMetrics(ctx, settings, config, metrics)
	if err != nil {
		return err
	}
	l, err := factory.CreateLogs(ctx, settings, config, logs)
	if err != nil {
		return err
	}
	for _, r := range []component.Component{m, l} {
		if err := r.Start(ctx, componenttest.NewNopHost()); err != nil {
			return err
		}
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil && (metrics.DataPointCount() == 0 || !seen(logs, "db.server.query_sample") || !seen(logs, "db.server.top_query")) {
		<-tick.C
	}
	for _, r := range []component.Component{m, l} {
		if err := r.Shutdown(context.Background()); err != nil {
			return err
		}
	}
	out := json.NewEncoder(os.Stdout)
	for _, p := range append(points(metrics.AllMetrics()[:1]), events(logs)...) {
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	for _, c := range complaints.All() {
		err = fmt.Errorf("%s: %v", c.Message, c.ContextMap())
		fmt.Fprintln(os.Stderr, err)
	}
	return err
}

// enable switches on every metric or event of a configuration.
func enable(config reflect.Value) {
	for i := range config.NumField() {
		config.Field(i).FieldByName("Enabled").SetBool(true)
	}
}

func seen(logs *consumertest.LogsSink, event string) bool {
	for _, p := range events(logs) {
		if p.Name == event {
			return true
		}
	}
	return false
}

func events(logs *consumertest.LogsSink) (all []point) {
	for _, l := range logs.AllLogs() {
		for _, r := range l.ResourceLogs().All() {
			for _, s := range r.ScopeLogs().All() {
				for _, record := range s.LogRecords().All() {
					all = append(all, point{Name: record.EventName(), Attributes: record.Attributes().AsRaw()})
				}
			}
		}
	}
	return all
}

func points(metrics []pmetric.Metrics) (all []point) {
	for _, m := range metrics {
		for _, r := range m.ResourceMetrics().All() {
			for _, s := range r.ScopeMetrics().All() {
				for _, metric := range s.Metrics().All() {
					data := metric.Gauge().DataPoints
					if metric.Type() == pmetric.MetricTypeSum {
						data = metric.Sum().DataPoints
					}
					for _, d := range data().All() {
						all = append(all, point{metric.Name(), d.Attributes().AsRaw(), number(d)})
					}
				}
			}
		}
	}
	return all
}

func number(d pmetric.NumberDataPoint) float64 {
	if d.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return float64(d.IntValue())
	}
	return d.DoubleValue()
}
