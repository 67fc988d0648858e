package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // the container image has no time zones

	"pfsd/engine"
	"pfsd/engine/config"
)

func main() {
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// run executes the arguments and returns the exit status: 0 for success, 1 for a failure, 2 if the
// options are wrong.
func run(args, environ []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch name := args[0]; {
		case slices.Contains(goCommands, name):
			return runGo(name, args[1:], stdout, stderr)
		case name == "overlay":
			return printOverlay(stdout, stderr)
		case name == "run":
			return runRecorded(args[1:], environ, stdout, stderr)
		case name == "ps":
			return listRecordings(args[1:], stdout, stderr)
		case name == "report":
			return printReport(args[1:], environ, stdout, stderr)
		case name == "top":
			return showTop(args[1:], environ, stdout, stderr)
		}
	}
	command := serve
	if len(args) > 0 && args[0] == "ping" {
		args, command = args[1:], ping
	}
	if len(args) > 0 && args[0] == "attach" {
		if len(args) == 1 {
			fmt.Fprintln(stderr, "pfsd: attach needs the name of a file or a directory, or the number of a process; pfsd ps lists recordings")
			return 2
		}
		what := "" // as in pfsd attach --help
		if !strings.HasPrefix(args[1], "-") {
			what, args = args[1], args[1:]
		}
		args, command = args[1:], func(o engine.Options, stdout io.Writer) error { return attach(what, o, stdout) }
	}
	line, err := config.ParseCommandLine(args, environ)
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 2
	}
	line.Options.Log = stderr
	for _, w := range line.Warnings {
		fmt.Fprintf(stderr, "pfsd: warning: %s\n", w)
	}
	switch {
	case line.PrintDefaults:
		fmt.Fprintf(stdout, "pfsd would have been started with the following arguments:\n%s\n", strings.Join(line.Defaults, " "))
		return 0
	case line.Help && line.Verbose:
		command = verboseHelp
	case line.Help:
		command = help
	case line.Version:
		command = version
	}
	if err := command(line.Options, stdout); err != nil {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 1
	}
	return 0
}

// serve runs a server until SIGTERM or SIGINT; a second signal ends the process at once. At SIGHUP
// the server opens its log again and reads its certificates again.
func serve(o engine.Options, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	return serveUntil(ctx, o, stdout)
}

// serveUntil runs a server until the context ends.
func serveUntil(ctx context.Context, o engine.Options, stdout io.Writer) error {
	o.InitializeInsecure = true // as the README says; the server writes a warning into its log
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP)
	defer signal.Stop(hangUps)
	room := int64(collectorRoom)
	if o.Model != nil { // of a recording: who reads it stays small beside the program
		room = readerRoom
	}
	defer giveRoom(room)()
	s, err := engine.New(o)
	if err != nil {
		return err
	}
	if o.Model != nil {
		ticker := time.NewTicker(idleInterval)
		defer ticker.Stop()
		defer returnMemory(ticker.C)()
	}
	closeWeb, err := serveWeb(s, o, stdout)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	defer closeWeb()
	go func() {
		for {
			select {
			case <-hangUps:
				_ = s.Reload() // the log has the error
			case <-ctx.Done():
				return
			}
		}
	}()
	port, socket := 0, "none"
	if tcp, ok := s.Addr().(*net.TCPAddr); ok {
		port = tcp.Port
	}
	if o.Socket != "" {
		socket = o.Socket
	}
	fmt.Fprintf(stdout, "pfsd: ready for connections, version %s, port: %d, socket: %s\n", s.Version(), port, socket)
	return s.Serve(ctx)
}

func version(_ engine.Options, stdout io.Writer) error {
	_, err := fmt.Fprintf(stdout, "pfsd %s\n", engine.Version)
	return err
}

// verboseHelp prints the help, and the options for system variables.
func verboseHelp(o engine.Options, stdout io.Writer) error {
	if err := help(o, stdout); err != nil {
		return err
	}
	if _, err := fmt.Fprint(stdout, "\nSystem variables that have no option above, and their defaults:\n\n"); err != nil {
		return err
	}
	return config.PrintVariables(stdout)
}

func help(_ engine.Options, stdout io.Writer) error {
	_, err := fmt.Fprint(stdout, `pfsd serves the performance schema of instrumented Go code to MySQL clients.

  pfsd [--defaults-file=FILE] [OPTION...]       serves until SIGTERM or SIGINT
  pfsd ping [--defaults-file=FILE] [OPTION...]  asks the server with these options whether it is alive
  pfsd top [OPTION...]                          shows in the terminal what a server does; pfsd top --help has its options
  pfsd report [OPTION...]                       prints what a server did in a period of time; pfsd report --help has its options

  pfsd build|test|install ARGUMENT...           is that command of go, with a recorder in the program
  pfsd run ARGUMENT...                          is go run, with a recorder, and serves what it records
  pfsd attach FILE|DIRECTORY|PID [OPTION...]    serves what a program records, or has recorded
  pfsd ps [DIRECTORY]                           lists the recordings, of PFSD_RECORD or the default directory
  pfsd overlay                                  prints the file for go build -overlay

Options stand in the file, in the environment as PFSD_NAME, or here; the later one wins.
Their defaults stand in brackets. --verbose --help prints the options for all system variables.

`)
	if err != nil {
		return err
	}
	return config.PrintOptions(stdout)
}
