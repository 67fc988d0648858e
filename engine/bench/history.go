package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"pfsd/engine/bench/ratios"
	"pfsd/instr"
	"pfsd/tables"
	"pfsd/tables/activesessions"
)

// historyBenchmarks are the benchmarks of what happened earlier, with the milliseconds that each may take.
var historyBenchmarks = []struct {
	pkg, benchmark, name string
	budget               float64
}{
	{"./tables/activesessions", "BenchmarkSample", "a sample of 10,000 threads, 200 active", 5},
	{"./engine", "BenchmarkGroupedSamples/read=class_and_digest", "an hour of samples by wait class and digest", 100},
	{"./engine", "BenchmarkGroupedSamples/read=ordered", "the ten longest of an hour of samples", 100},
	{"./engine/history", "BenchmarkTake/digests=10000/grown=100", "a bucket of 10,000 digests, of which 100 have grown", 50},
	{"./engine/history", "BenchmarkTake/digests=10000/grown=10000", "a bucket of 10,000 digests, all of which have grown", 50},
	{"./engine/history", "BenchmarkTake/digests=100000/grown=100", "a bucket of 100,000 digests, of which 100 have grown", 50},
	{"./engine/history", "BenchmarkRead", "30 days of hourly buckets", 200},
}

// historyCosts measures taking samples and buckets, and reading them: the least time of five runs, which depends on the processor.
func historyCosts() (rows []ratios.Row, err error) {
	processor, err := processorModel()
	if err != nil {
		return nil, err
	}
	for _, b := range historyBenchmarks {
		parts := strings.Split(b.benchmark, "/")
		out, err := exec.Command("go", "test", "-tags", "gms_pure_go", "-run", "^$", "-bench", "^"+strings.Join(parts, "$/^")+"$", "-benchtime", "10x", "-count", "5", b.pkg).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", b.benchmark, err, out)
		}
		least, err := leastOf(out)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.benchmark, err)
		}
		rows = append(rows, ratios.Row{Name: "history, " + b.name, Value: least.Seconds() * 1000, Unit: "ms", Margin: 0.5, Slack: 0.5, Budget: b.budget, Processor: processor})
	}
	lost, err := lostToSamples()
	return append(rows, ratios.Row{Name: "history, throughput lost by samples of 200 active threads", Value: lost, Unit: "% lost", Slack: 0.3, Budget: 0.5}), err
}

// leastOf returns the least time of the results that go test prints.
func leastOf(out []byte) (least time.Duration, err error) {
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		before, _, found := strings.Cut(lines.Text(), " ns/op")
		if !found {
			continue
		}
		fields := strings.Fields(before)
		ns, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil {
			return 0, err
		}
		if d := time.Duration(ns); least == 0 || d < least {
			least = d
		}
	}
	if least == 0 {
		return 0, errors.New("no result")
	}
	return least, nil
}

// lostToSamples returns how much throughput threads lose while a sample is taken once a second, in percent: by what the samples take
// of the processors, and by what they make others slower. For the latter, samples are taken a hundred times as often.
func lostToSamples() (percent float64, err error) {
	const often, active, rounds = 100, 200, 60
	r := watchAll()
	defer crowd(r)()
	class := r.NewStatementClass("sql/select")
	stop := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(active)
	for range active {
		done.Go(func() {
			defer r.Attach("bench/active").Detach()
			s := instr.Current().StartStatement(class)
			ready.Done()
			<-stop
			s.End()
		})
	}
	ready.Wait()
	defer done.Wait()
	defer close(stop)
	sampler := activesessions.New(tables.Of(r))
	defer sampler.Close()

	work := startWriters(r, max(1, runtime.GOMAXPROCS(0)-1))
	defer work.end()
	var slower, took []float64
	sample := func() error {
		for end := time.Now().Add(window); time.Now().Before(end); {
			begin := time.Now()
			sampler.Sample(begin, time.Second)
			took = append(took, time.Since(begin).Seconds())
			time.Sleep(time.Second/often - time.Since(begin))
		}
		return nil
	}
	pause := func() error { time.Sleep(window); return nil }
	for range rounds {
		alone, err := work.rate(pause)
		if err != nil {
			return 0, err
		}
		beside, err := work.rate(sample)
		if err != nil {
			return 0, err
		}
		slower = append(slower, 100*(1-beside.cpu/alone.cpu)/often)
	}
	return max(0, quantile(slower, 0.5)) + 100*quantile(took, 0.5)/float64(runtime.GOMAXPROCS(0)), nil
}
