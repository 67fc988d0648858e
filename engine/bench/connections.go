package main

import (
	"bufio"
	"context"
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"slices"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine"
	"pfsd/instr"
)

// connections measures the memory of the server, heap and stacks, for an idle client: one that has
// logged in, has run a statement, and waits. The server is a separate process, so that the memory
// of the clients does not count. The instrumentation's part is the difference between a server with
// everything on and a server with everything off.
func connections(args []string) error {
	flags := flag.NewFlagSet("bench connections", flag.ExitOnError)
	clients := flags.Int("clients", 1000, "how many clients there are")
	runs := flags.Int("runs", 3, "how many pairs of servers")
	profile := flags.String("profile", "", "a `file` for the heap profile of a server that watches everything")
	child := flags.String("serve", "", "be the server: \"watched\" or \"unwatched\"; for the program's own use")
	_ = flags.Parse(args)
	if *child != "" {
		return serveIdle(*child == "watched", *clients, *profile)
	}

	var watched, part []float64
	for range *runs {
		all, err := perClient("watched", *clients, *profile)
		if err != nil {
			return err
		}
		bare, err := perClient("unwatched", *clients, "")
		if err != nil {
			return err
		}
		watched, part = append(watched, all), append(part, all-bare)
	}
	return printRows("best", []row{
		{what: fmt.Sprintf("memory of an idle connection, of %d", *clients), unit: "KiB", budget: noBudget, best: slices.Min(watched), median: quantile(watched, 0.5)},
		{what: "  the instrumentation's part", unit: "KiB", budget: 4, best: slices.Min(part), median: quantile(part, 0.5)},
	})
}

// perClient returns how many KiB the server needs for a client.
func perClient(kind string, clients int, profile string) (kib float64, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	server := exec.Command(self, "connections", "-serve", kind, "-clients", fmt.Sprint(clients), "-profile", profile)
	server.Stderr = os.Stderr
	ask, err := server.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := server.Start(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ask.Close(), server.Wait()) }()
	answers := bufio.NewReader(out)
	var addr string
	if _, err := fmt.Fscanln(answers, &addr); err != nil {
		return 0, err
	}
	inUse := func() (bytes int64, err error) {
		if _, err = fmt.Fprintln(ask); err == nil {
			_, err = fmt.Fscanln(answers, &bytes)
		}
		return bytes, err
	}

	connector, err := mysql.NewConnector(&mysql.Config{User: "root", Net: "tcp", Addr: addr, AllowNativePasswords: true, Loc: nil})
	if err != nil {
		return 0, err
	}
	connect := func() (driver.Conn, error) {
		c, err := connector.Connect(context.Background())
		if err != nil {
			return nil, err
		}
		rows, err := c.(driver.QueryerContext).QueryContext(context.Background(), "SELECT 1", nil)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		for err = error(nil); err == nil; {
			err = rows.Next(make([]driver.Value, 1))
		}
		if err != io.EOF {
			return nil, errors.Join(err, c.Close())
		}
		return c, rows.Close()
	}
	first, err := connect() // things that are only made for the first client do not count
	if err != nil {
		return 0, err
	}
	defer first.Close()
	before, err := inUse()
	if err != nil {
		return 0, err
	}
	for range clients {
		c, err := connect()
		if err != nil {
			return 0, err
		}
		defer c.Close()
	}
	after, err := inUse()
	return float64(after-before) / 1024 / float64(clients), err
}

// serveIdle is the server process. It prints its address. Then it reads lines until its input ends,
// and prints for each line how much memory it uses.
func serveIdle(watched bool, clients int, profile string) error {
	if profile != "" {
		runtime.MemProfileRate = 1
	}
	r := watchAll()
	if !watched {
		r = instr.NewRegistry()
		for c := range instr.ConsumerCount {
			r.Setup().SetConsumer(c, false)
		}
		r.Setup().AddPattern("%", instr.PatternOff)
		for l := range instr.LimitCount {
			r.Setup().SetLimit(l, 0)
		}
	}
	r.Setup().SetHistoryLongSize(instr.FamilyWaits, 1) // the long history does not belong to a client
	schema := engine.On
	if !watched {
		schema = engine.Off
	}
	s, err := engine.New(engine.Options{Addr: "127.0.0.1:0", Registry: r, LogError: os.DevNull, ProcessorShare: -1, MaxRunningStatements: -1, MaxConnections: clients + 1, PerformanceSchema: schema, InitializeInsecure: true})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	fmt.Println(s.Addr())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if profile != "" {
			if err := writeHeap(profile); err != nil {
				return err
			}
		}
		fmt.Println(m.HeapAlloc + m.StackInuse)
	}
	cancel()
	return <-served
}

func writeHeap(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(pprof.WriteHeapProfile(f), f.Close())
}
