package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"pfsd/engine"
	"pfsd/engine/config"
	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// attach serves a recording. what names it: a file, a directory or a process.
func attach(what string, o engine.Options, stdout io.Writer) error {
	if what == "" {
		return errors.New("attach needs the name of a file or a directory, or the number of a process, before its options")
	}
	rec, err := record.Find(what)
	if err != nil {
		return err
	}
	defer rec.Close()
	fmt.Fprintf(stdout, "pfsd: %s\n", describe(rec))
	return serve(recordingOptions(o, rec), stdout)
}

// recordingOptions returns the options of a server that shows a recording.
func recordingOptions(o engine.Options, rec *record.Recording) engine.Options {
	o.Model = recorded.New(rec, tables.Of(instr.Default))
	o.VersionComment = fmt.Sprintf("pfsd, recording of %s, built with overlay %s", rec.Info().Program, rec.Info().Overlay)
	return o
}

func describe(rec *record.Recording) string {
	info, state := rec.Info(), "ended"
	if rec.Alive() {
		state = "running"
	}
	return fmt.Sprintf("%s, process %d, %s, %s, since %s: %s", info.Program, info.PID, state, info.Overlay, info.Started.Format(time.RFC3339), info.Path)
}

// listRecordings prints the recordings of a directory.
func listRecordings(args []string, stdout, stderr io.Writer) int {
	dir := record.Directory()
	switch len(args) {
	case 0:
	case 1:
		dir = args[0]
	default:
		fmt.Fprintln(stderr, "pfsd: ps takes one directory")
		return 2
	}
	list, refused, err := record.List(dir)
	if err != nil && (len(args) > 0 || !os.IsNotExist(err)) {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 1
	}
	for _, err := range refused {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
	}
	if len(list) == 0 {
		fmt.Fprintf(stderr, "pfsd: no recordings in %s\n", dir)
		return 0
	}
	w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "PID\tSTATE\tSTARTED\tOVERLAY\tPROGRAM\tFILE")
	for _, rec := range list {
		info, state := rec.Info(), "ended"
		if rec.Alive() {
			state = "running"
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", info.PID, state, info.Started.Format(time.DateTime), info.Overlay, info.Program, info.Path)
		_ = rec.Close()
	}
	_ = w.Flush()
	return 0
}

// runRecorded executes go run with a recorder. It serves the recording while the program runs, with
// options from the environment.
func runRecorded(args, environ []string, stdout, stderr io.Writer) int {
	line, err := config.ParseCommandLine(nil, environ)
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 2
	}
	dir, err := runDirectory()
	if err == nil {
		err = os.Setenv("PFSD_RECORD", dir)
	}
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 1
	}
	// The program handles an interrupt: when it ends, this process ends, too.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)

	ctx, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		if rec := await(ctx, dir); rec != nil {
			defer rec.Close()
			if err := serveUntil(ctx, recordingOptions(line.Options, rec), stderr); err != nil {
				fmt.Fprintf(stderr, "pfsd: %v\n", err)
			}
		}
	}()
	status := runGo("run", args, stdout, stderr)
	stop()
	<-served
	list, refused, err := record.List(dir)
	for _, err := range refused {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
	}
	if err == nil && len(list) > 0 {
		fmt.Fprintf(stderr, "pfsd: to look at it again: pfsd attach %s\n", list[0].Info().Path)
		for _, rec := range list {
			_ = rec.Close()
		}
	} else {
		_ = os.Remove(dir)
	}
	return status
}

// runDirectory creates a directory for the recordings of one run.
func runDirectory() (string, error) {
	if err := os.MkdirAll(record.Directory(), 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(record.Directory(), record.RunPrefix)
}

// await waits for the first recording in a directory. It returns nil if the context ends before.
func await(ctx context.Context, dir string) *record.Recording {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		list, _, err := record.List(dir)
		if err == nil && len(list) > 0 {
			for _, other := range list[1:] {
				_ = other.Close()
			}
			return list[0]
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
