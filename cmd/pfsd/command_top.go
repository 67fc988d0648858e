package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/go-sql-driver/mysql"

	"pfsd/cmd/pfsd/top"
)

// topArguments are the arguments of top.
type topArguments struct {
	host, socket, user, password string
	port                         int
	from, to                     string
	batch, noColour              bool
	options                      top.Options
}

// showTop shows in the terminal what a server does, and returns the exit status.
func showTop(args, environ []string, stdout, stderr io.Writer) int {
	a, err := parseTop(args, environ, time.Now(), stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	screen, _ := stdout.(*os.File)
	if err == nil && !a.batch && (screen == nil || !term.IsTerminal(screen.Fd()) || !term.IsTerminal(os.Stdin.Fd())) {
		err = errors.New("this is no terminal: use --batch")
	}
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: top: %v\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	source, err := top.Open(a.config())
	if err == nil {
		defer func() { _ = source.Close() }()
		if a.batch {
			err = top.Batch(ctx, source, a.options, stdout)
		} else {
			err = top.Run(ctx, source, a.options, os.Stdin, screen)
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: top: %s\n", top.Clean(err.Error()))
		return 1
	}
	return 0
}

// config says how to reach the server.
func (a *topArguments) config() *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd = a.user, a.password
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(a.host, strconv.Itoa(a.port))
	if a.socket != "" {
		cfg.Net, cfg.Addr = "unix", a.socket
	}
	return cfg
}

// parseTop reads the arguments of top. Without arguments the environment says where the server is.
func parseTop(args, environ []string, now time.Time, stdout io.Writer) (*topArguments, error) {
	flags := flag.NewFlagSet("top", flag.ContinueOnError)
	a, err := connectionFlags(flags, environ)
	if err != nil {
		return nil, err
	}
	env := environment(environ)
	a.options = top.Options{Interval: time.Second, View: "waits", Count: 1}
	flags.Func("interval", "`time` between refreshes, 0.5s to 5s (default 1s)", intervalValue(&a.options.Interval))
	flags.Func("view", "the first `view`: "+strings.Join(viewNames(), ", ")+" (default waits)", viewValue(&a.options.View))
	flags.BoolVar(&a.batch, "batch", false, "print the view for scripts")
	flags.Func("count", "how many `times` --batch prints; 0 is until it is stopped (default 1)", countValue(&a.options.Count))
	flags.StringVar(&a.from, "from", "", "the beginning of an earlier period: a `time` as '2026-01-02 15:04:05', 15:04 or -10m")
	flags.StringVar(&a.to, "to", "", "its end, a `time` (default 5 minutes later)")
	flags.BoolVar(&a.noColour, "no-color", false, "no colours, as with NO_COLOR in the environment")
	if err := parseFlags(flags, args, "pfsd top shows in the terminal what a server does: this one, MySQL or MariaDB.\n\n", stdout); err != nil {
		return nil, err
	}
	if a.options.Window, err = a.window(now); err != nil {
		return nil, err
	}
	a.options.Address = net.JoinHostPort(a.host, strconv.Itoa(a.port))
	if a.socket != "" {
		a.options.Address = a.socket
	}
	a.options.Colours = !a.noColour && env["NO_COLOR"] == "" && env["TERM"] != "dumb"
	return a, nil
}

// environment is the variables of an environment.
func environment(environ []string) map[string]string {
	env := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	return env
}

// connectionFlags adds the flags that say where the server is. Without them the environment says so.
func connectionFlags(flags *flag.FlagSet, environ []string) (*topArguments, error) {
	env := environment(environ)
	a := &topArguments{host: "127.0.0.1", port: 3306, user: "root", password: env["MYSQL_PWD"], socket: env["PFSD_SOCKET"]}
	if port, ok := env["PFSD_PORT"]; ok {
		if err := portValue(&a.port)(port); err != nil {
			return nil, fmt.Errorf("environment variable PFSD_PORT: value '%s' %w", port, err)
		}
	}
	flags.StringVar(&a.host, "host", a.host, "the server's `host`")
	flags.Func("port", "the server's `port` (default 3306)", portValue(&a.port))
	flags.StringVar(&a.socket, "socket", a.socket, "the server's Unix socket, instead of host and port")
	flags.StringVar(&a.user, "user", a.user, "the `account`")
	flags.StringVar(&a.password, "password", a.password, "its password; MYSQL_PWD in the environment is not seen by others (default none)")
	return a, nil
}

// parseFlags parses arguments that are all flags. It prints what the command does and its flags where they are asked for, and returns
// flag.ErrHelp.
func parseFlags(flags *flag.FlagSet, args []string, what string, stdout io.Writer) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, what)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return err
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument '%s'", flags.Arg(0))
	}
	return nil
}

// viewNames are the names of all views.
func viewNames() (names []string) {
	for _, v := range top.Views {
		names = append(names, v.Name)
	}
	return names
}

func portValue(port *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 65535 {
			return errors.New("is not a port, 1 to 65535")
		}
		*port = n
		return nil
	}
}

func countValue(count *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return errors.New("is not a number of times, 0 or more")
		}
		*count = n
		return nil
	}
}

func intervalValue(interval *time.Duration) func(string) error {
	return func(s string) error {
		d, err := time.ParseDuration(s)
		if seconds, bad := strconv.ParseFloat(s, 64); bad == nil {
			d, err = time.Duration(seconds*float64(time.Second)), nil
		}
		if err != nil || d < top.ShortestInterval || d > top.LongestInterval {
			return fmt.Errorf("is not a time of %s to %s", top.ShortestInterval, top.LongestInterval)
		}
		*interval = d
		return nil
	}
}

func viewValue(view *string) func(string) error {
	return func(s string) error {
		if !slices.Contains(viewNames(), s) {
			return fmt.Errorf("is no view: there are %s", strings.Join(viewNames(), ", "))
		}
		*view = s
		return nil
	}
}

// longestPeriod is the longest period of time that can be shown.
const longestPeriod = 31 * 24 * time.Hour

// window is the period of time that the arguments name, the zero Window if they name none.
func (a *topArguments) window(now time.Time) (w top.Window, err error) {
	if a.from == "" && a.to == "" {
		return w, nil
	}
	if a.from == "" {
		return w, fmt.Errorf("option --to=%s needs --from", a.to)
	}
	if w.From, err = moment(a.from, now); err != nil {
		return top.Window{}, fmt.Errorf("option --from: %w", err)
	}
	w.To = w.From.Add(5 * time.Minute)
	if a.to != "" {
		if w.To, err = moment(a.to, now); err != nil {
			return top.Window{}, fmt.Errorf("option --to: %w", err)
		}
	}
	if length := w.To.Sub(w.From); length <= 0 || length > longestPeriod {
		return top.Window{}, fmt.Errorf("option --to: value '%s' is not after --from=%s, or more than 31 days after it", a.to, a.from)
	}
	return w, nil
}

// moment reads a time: of any day, of today, or so long before now.
func moment(s string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(s); err == nil && d < 0 {
		return now.Add(d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{time.TimeOnly, "15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			year, month, day := now.Date()
			return time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), 0, now.Location()), nil
		}
	}
	return time.Time{}, fmt.Errorf("value '%s' is not a time as '2026-01-02 15:04:05', 15:04 or -10m", s)
}
