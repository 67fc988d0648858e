package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// again has the program do its work once more.
func again(t *testing.T, in io.Writer, out *bufio.Reader) {
	t.Helper()
	if _, err := io.WriteString(in, "again\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); line != "again\n" {
		t.Fatalf("%q %v", line, err)
	}
}

// Histograms count while their consumer is on, in the buckets that package instr has.
func TestHistogramsOfARecording(t *testing.T) {
	program, dir := woven(t), t.TempDir()
	_, in, out := startProgram(t, program, dir)
	rec, model := recordingIn(t, dir)
	const sleep = "wait/synch/cond/sleep/main.again"
	count := func(m tables.Model) uint64 {
		n := uint64(0)
		for _, in := range m.ClassHistogram(m.ClassByName(sleep)) {
			n += in
		}
		return n
	}
	again(t, in, out)
	if n := count(model); n != 0 || model.Setup().Consumer(instr.ConsumerEventsWaitsHistogram) {
		t.Errorf("%d waits while the consumer is off", n)
	}
	model.Setup().SetConsumer(instr.ConsumerEventsWaitsHistogram, true)
	other := recorded.New(rec, tables.Of(instr.NewRegistry()))
	if !other.Setup().Consumer(instr.ConsumerEventsWaitsHistogram) {
		t.Error("another reader sees the consumer as off")
	}
	again(t, in, out)

	// The longest of the histograms' buckets is that of the wait in the history.
	last := uint64(0)
	for _, row := range rows(t, model, "events_waits_history_long", "TIMER_WAIT", "EVENT_NAME") {
		if wait, name, _ := strings.Cut(row, " "); name == sleep {
			last, _ = strconv.ParseUint(wait, 10, 64)
		}
	}
	found := 0
	for _, row := range rows(t, model, "event_histograms", "EVENT_NAME", "BUCKET_TIMER_LOW", "BUCKET_TIMER_HIGH", "COUNT_BUCKET") {
		f := strings.Fields(row)
		if f[0] != sleep {
			continue
		}
		found++
		low, _ := strconv.ParseUint(f[1], 10, 64)
		high, _ := strconv.ParseUint(f[2], 10, 64)
		if last < low-low/8 || last > high+high/8 || f[3] != "1" {
			t.Errorf("a wait of %d ps is in %s", last, row)
		}
	}
	if n := count(model); found != 1 || n != 1 {
		t.Errorf("%d waits in %d buckets, not 1 in 1", n, found)
	}
	for _, row := range rows(t, model, "event_percentiles", "EVENT_NAME", "COUNT_STAR", "QUANTILE_50", "MAX_TIMER_WAIT") {
		if f := strings.Fields(row); f[0] == sleep && (f[1] != "1" || f[2] != f[3]) {
			t.Errorf("percentiles %s", row)
		}
	}

	// TRUNCATE only affects the reader that sends it.
	for _, def := range tables.All() {
		if def.Name() == "events_waits_histogram_by_event_name" {
			def.Truncate(model)
		}
	}
	if mine, others := count(model), count(other); mine != 0 || others != 1 {
		t.Errorf("%d and %d waits after a TRUNCATE", mine, others)
	}
	again(t, in, out)
	if mine, others := count(model), count(other); mine != 1 || others != 2 {
		t.Errorf("%d and %d waits after one more", mine, others)
	}
	model.Setup().SetConsumer(instr.ConsumerEventsWaitsHistogram, false)
	again(t, in, out)
	if n := count(other); n != 2 {
		t.Errorf("%d waits after the consumer was switched off", n)
	}
}
