package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"pfsd/cmd/pfsd/top"
)

// Bad arguments of top are named with their values.
func TestTopArguments(t *testing.T) {
	for _, test := range []struct {
		args, environ []string
		says          []string
	}{
		{[]string{"--port=70000"}, nil, []string{"port", "70000"}},
		{[]string{"--interval=10ms"}, nil, []string{"interval", "10ms", "500ms to 5s"}},
		{[]string{"--interval=6"}, nil, []string{"interval", `"6"`}},
		{[]string{"--interval=NaN"}, nil, []string{"interval", "NaN"}},
		{[]string{"--count=-1"}, nil, []string{"count", "-1"}},
		{[]string{"--view=everything"}, nil, []string{"view", "everything", "statements"}},
		{[]string{"--from=yesterday"}, nil, []string{"--from", "yesterday"}},
		{[]string{"--to=12:00"}, nil, []string{"--to=12:00", "--from"}},
		{[]string{"--from=12:00", "--to=11:00"}, nil, []string{"--to", "11:00"}},
		{[]string{"--prot=1"}, nil, []string{"prot"}},
		{[]string{"load"}, nil, []string{"load"}},
		{nil, []string{"PFSD_PORT=many"}, []string{"PFSD_PORT", "many"}},
		{nil, nil, []string{"--batch"}}, // a test has no terminal
	} {
		var out, errors bytes.Buffer
		if status := run(append([]string{"top"}, test.args...), test.environ, &out, &errors); status != 2 {
			t.Errorf("%v: status %d", test.args, status)
		}
		for _, text := range test.says {
			if !strings.Contains(errors.String(), text) {
				t.Errorf("%v: %q does not name %s", test.args, &errors, text)
			}
		}
	}
	var out bytes.Buffer
	if status := run([]string{"top", "--help"}, nil, &out, &out); status != 0 || !strings.Contains(out.String(), "-interval time") {
		t.Errorf("--help: status %d, %s", status, &out)
	}
}

func TestTopPeriods(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 30, 0, 0, time.Local)
	for _, test := range []struct {
		args     []string
		from, to time.Time
	}{
		{nil, time.Time{}, time.Time{}},
		{[]string{"--from=-10m"}, now.Add(-10 * time.Minute), now.Add(-5 * time.Minute)},
		{[]string{"--from=11:00", "--to=11:20:30"}, now.Add(-90 * time.Minute), now.Add(-69*time.Minute - 30*time.Second)},
		{[]string{"--from=2026-03-03 12:30:00", "--to=2026-03-03 12:30:01"}, now.AddDate(0, 0, -1), now.AddDate(0, 0, -1).Add(time.Second)},
	} {
		a, err := parseTop(test.args, nil, now, nil)
		if err != nil || !a.options.Window.From.Equal(test.from) || !a.options.Window.To.Equal(test.to) {
			t.Errorf("%v: %+v, %v", test.args, a, err)
		}
	}
	a, err := parseTop(nil, []string{"MYSQL_PWD=secret", "PFSD_PORT=3307", "NO_COLOR=1"}, now, nil)
	if err != nil || a.password != "secret" || a.port != 3307 || a.options.Colours {
		t.Errorf("%+v, %v", a, err)
	}
}

// top --batch prints each view of a server, and not itself.
func TestTopBatch(t *testing.T) {
	tested := self(t)
	port := start(t, exec.Command(tested, "--port=0", "--workload=mixed")).says(t, readyForConnections)
	for _, v := range top.Views {
		cmd := exec.Command(tested, "top", "--port="+port, "--batch", "--view="+v.Name)
		var errors bytes.Buffer
		cmd.Stderr = &errors
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", v.Name, err, &errors)
		}
		lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		if v.Connection != "" && !strings.HasPrefix(lines[0], v.Connection+"\t") {
			t.Errorf("%s begins with %s", v.Name, lines[0])
		}
		for _, line := range lines {
			if strings.Count(line, "\t") != strings.Count(lines[0], "\t") {
				t.Errorf("%s: %q has not the columns %q", v.Name, line, lines[0])
			}
		}
		if slices.Contains([]string{"sockets", "memory", "users"}, v.Name) && len(lines) < 2 {
			t.Errorf("%s is empty", v.Name)
		}
		if v.Connection != "" && strings.Contains(string(out), "CONNECTION_ID()") {
			t.Errorf("%s shows itself:\n%s", v.Name, out)
		}
	}
	var out, errors bytes.Buffer
	if status := run([]string{"top", "--port=" + port, "--user=nobody", "--batch"}, nil, &out, &errors); status != 1 || !strings.Contains(errors.String(), "1045") {
		t.Errorf("status %d, %s", status, &errors)
	}
}
