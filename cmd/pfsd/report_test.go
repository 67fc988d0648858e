package main

import (
	"bytes"
	"cmp"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pfsd/cmd/pfsd/top"
)

// TestReport: the report of a period names the statement that ran, as text for a terminal and as a page, whatever is in it.
func TestReport(t *testing.T) {
	tested := self(t)
	server := start(t, exec.Command(tested, "--port=0", "--datadir="+filepath.Join(t.TempDir(), "data")))
	port := server.says(t, readyForConnections)
	db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+port+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{"SET GLOBAL active_session_history_interval = 100", "SELECT SLEEP(2) AS `<script>\x1b[31m`", "SET GLOBAL long_query_time = 9"} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	answers(t, db, "SELECT COUNT(*) > 0 FROM active_session_history WHERE DIGEST_TEXT LIKE '%script%'", "1")
	var out, errs bytes.Buffer
	report := func(args ...string) int {
		out.Reset()
		errs.Reset()
		return run(append([]string{"report", "--port=" + port}, args...), nil, &out, &errs)
	}
	if status := report("--from=-10m"); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	text := out.String()
	for _, want := range append([]string{"SELECT `SLEEP` (?) AS `<script>[31m`", "long_query_time", "CPU*"}, reportTitles...) {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q:\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\x1b") {
		t.Errorf("the report has an escape character: %q", text)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if status := report("--from="+time.Now().Add(-time.Minute).Format(time.DateTime), "--html="+file); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(page); !strings.Contains(s, "&lt;script&gt;") || strings.Contains(s, "<script") || strings.Contains(s, "http://") || strings.Contains(s, "https://") {
		t.Errorf("the page:\n%s", page)
	}
	for _, c := range []struct {
		status int
		say    string
		args   []string
	}{
		{0, "", []string{"--help"}},
		{2, "option --from: value 'never' is not a time", []string{"--from=never"}},
		{2, "is not after --from", []string{"--from=-1m", "--to=-2m"}},
		{2, "unexpected argument 'x'", []string{"x"}},
		{2, "\"0\" for flag -port: is not a port", []string{"--port=0"}},
		{1, "option --html: open ", []string{"--html=" + filepath.Join(file, "x")}},
		{1, "Access denied for user 'nobody'", []string{"--user=nobody", "--password=x"}},
	} {
		if status := report(c.args...); status != c.status || !strings.Contains(errs.String(), c.say) {
			t.Errorf("%q: status %d, %s; want %d, %q", c.args, status, &errs, c.status, c.say)
		}
	}
}

// TestReportPeriod: a period in which the clock is set back is as long as it was asked for.
func TestReportPeriod(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)
	zone, from, to := reportPeriod(top.Window{From: begin, To: begin.Add(time.Hour)}, berlin)
	if zone != "+02:00" || from != "2026-10-25 02:30:00.000000" || to != "2026-10-25 03:30:00.000000" {
		t.Errorf("from %s to %s, %s", from, to, zone)
	}
}

// TestSamplesAfterKill: what a server has sampled is there after it was killed, each sample once, and the next server continues with
// the numbers; and so are the buckets of time of each server. PFSD_KILLS is how often, 3 if it is not set.
func TestSamplesAfterKill(t *testing.T) {
	tested, dir := self(t), filepath.Join(t.TempDir(), "data")
	var latest string
	kills, err := strconv.Atoi(cmp.Or(os.Getenv("PFSD_KILLS"), "3"))
	if err != nil {
		t.Fatal(err)
	}
	for killed := range kills {
		server := start(t, exec.Command(tested, "--port=0", "--datadir="+dir))
		db, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+server.says(t, readyForConnections)+")/performance_schema")
		if err != nil {
			t.Fatal(err)
		}
		if latest != "" {
			answers(t, db, "SELECT MAX(SAMPLE_ID) >= "+latest+", COUNT(*) = COUNT(DISTINCT SAMPLE_ID, THREAD_ID) FROM active_session_history WHERE DIGEST_TEXT LIKE '%killed%'", "1|1")
			answers(t, db, "SELECT COUNT(DISTINCT BOOT_ID) FROM history.statements_by_digest WHERE DIGEST_TEXT LIKE 'SET%history_buckets_interval%'", strconv.Itoa(killed))
		}
		for _, q := range []string{"SET GLOBAL active_session_history_interval = 100", "SET GLOBAL history_buckets_interval = 1", "SELECT SLEEP(2) AS killed"} {
			if _, err := db.ExecContext(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.QueryRowContext(t.Context(), "SELECT MAX(SAMPLE_ID) FROM active_session_history WHERE DIGEST_TEXT LIKE '%killed%'").Scan(&latest); err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
		if err := server.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-server.ended
	}
}
