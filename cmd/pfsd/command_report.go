package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/cmd/pfsd/top"
)

// reportTitles are the titles of the results of sys.report.
var reportTitles = []string{
	"Report", "Load", "Waits", "Statements", "Who was in the way", "Files", "Messages of the error log", "Settings that were changed",
	"Statements, counted", "Waits, counted", "Files and sockets, counted", "Errors, counted",
}

// longestReport is how long a server may take for a report.
const longestReport = 5 * time.Minute

//go:embed report.html
var reportPage string

var reportTemplate = template.Must(template.New("report").Parse(reportPage))

// reportPart is one result of sys.report.
type reportPart struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// printReport prints what a server did in a period of time, and returns the exit status.
func printReport(args, environ []string, stdout, stderr io.Writer) int {
	a, file, err := parseReport(args, environ, time.Now(), stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "pfsd: report: %v\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	parts, err := askForReport(ctx, a.config(), a.options.Window)
	if err == nil {
		err = writeReport(parts, file, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: report: %s\n", top.Clean(err.Error()))
		return 1
	}
	return 0
}

// parseReport reads the arguments of report, of which file is that of --html.
func parseReport(args, environ []string, now time.Time, stdout io.Writer) (a *topArguments, file string, err error) {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	if a, err = connectionFlags(flags, environ); err != nil {
		return nil, "", err
	}
	flags.StringVar(&a.from, "from", "-1h", "the beginning of the period: a `time` as '2026-01-02 15:04:05', 15:04 or -10m")
	flags.StringVar(&a.to, "to", now.Format(time.RFC3339Nano), "its end, a `time`")
	flags.StringVar(&file, "html", "", "write one page in HTML to this `file`, which needs nothing else")
	if err := parseFlags(flags, args, "pfsd report tells what a server did in a period of time.\n\n", stdout); err != nil {
		return nil, "", err
	}
	a.options.Window, err = a.window(now)
	return a, file, err
}

// askForReport asks a server for a report, with times as the clock here has them.
func askForReport(ctx context.Context, cfg *mysql.Config, w top.Window) (parts []reportPart, err error) {
	ctx, cancel := context.WithTimeout(ctx, longestReport)
	defer cancel()
	zone, from, to := reportPeriod(w, time.Local)
	cfg.Params = map[string]string{"time_zone": "'" + zone + "'"}
	db, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // nothing was written
	rows, err := db.QueryContext(ctx, "CALL sys.report(?, ?)", from, to)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err has what matters
	for more := true; more; more = rows.NextResultSet() {
		part, err := reportPartOf(rows)
		if err != nil {
			return nil, err
		}
		if len(part.Columns) == 0 {
			continue // the end of the procedure
		}
		if part.Title = part.Columns[0]; len(parts) < len(reportTitles) {
			part.Title = reportTitles[len(parts)]
		}
		parts = append(parts, part)
	}
	return parts, rows.Err()
}

// reportPeriod returns the ends of a period as the clock of a place has them at its beginning, and the time zone in which they are. A
// clock that is set back or forth meanwhile does not change the period.
func reportPeriod(w top.Window, place *time.Location) (zone, from, to string) {
	const layout = "2006-01-02 15:04:05.000000"
	begin := w.From.In(place)
	_, offset := begin.Zone()
	return begin.Format("-07:00"), begin.Format(layout), w.To.In(time.FixedZone("", offset)).Format(layout)
}

// reportPartOf reads one result.
func reportPartOf(rows *sql.Rows) (part reportPart, err error) {
	if part.Columns, err = rows.Columns(); err != nil {
		return part, err
	}
	for rows.Next() {
		cells, into := make([]sql.NullString, len(part.Columns)), make([]any, len(part.Columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return part, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = c.String
		}
		part.Rows = append(part.Rows, row)
	}
	return part, rows.Err()
}

// writeReport writes a report as text, or as a page if file is not "".
func writeReport(parts []reportPart, file string, stdout io.Writer) error {
	if file == "" {
		return writeReportText(parts, stdout)
	}
	var page strings.Builder
	if err := reportTemplate.Execute(&page, parts); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(page.String()), 0o600); err != nil {
		return fmt.Errorf("option --html: %w", err)
	}
	_, err := fmt.Fprintln(stdout, file)
	return err
}

// writeReportText writes a report as text. What comes from the server has no control characters.
func writeReportText(parts []reportPart, stdout io.Writer) error {
	w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
	for i, p := range parts {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, p.Title)
		fmt.Fprintln(w, strings.Repeat("-", len(p.Title)))
		if len(p.Rows) == 0 {
			fmt.Fprintln(w, "nothing")
			continue
		}
		fmt.Fprintln(w, strings.Join(p.Columns, "\t"))
		for _, row := range p.Rows {
			clean := make([]string, len(row))
			for i, cell := range row {
				clean[i] = top.Clean(cell)
			}
			fmt.Fprintln(w, strings.Join(clean, "\t"))
		}
	}
	return w.Flush() // which has the error of any write before
}
