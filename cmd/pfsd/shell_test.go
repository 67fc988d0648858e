package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// notRun are the beginnings of the commands in documents that TestShellOfTheDocumentsRuns does not
// run, with the reasons.
var notRun = map[string]string{
	"make test":           "it runs this test",
	"make mends":          "it is a test of package mends, and changes the tree",
	"go test ":            "it is part of make test, and with -rewrite it changes the tree",
	"mariadb --port=3307": "TestDocs of package engine signs in so, and types what follows",
	"cat my.cnf":          "it belongs to mysqld_exporter",
	"mysqld_exporter ":    "others' program: make clients installs and runs it",
	"curl ":               "it asks mysqld_exporter, or is what TestGuides does",
	"mariadb-admin ":      "others' program: make clients installs and runs it",
	"mysqltuner ":         "others' program: make clients installs and runs it",
	"pt-mysql-summary ":   "others' program: make clients installs and runs it",
	"mariadb-dump ":       "others' program: make clients installs and runs it",
	"mariadb -h":          "others' program: make clients installs and runs it",
	"go mod init shop":    "TestRecordingDocument does the same",
	"mariadb --port=3308": "TestGuides does the same",
	"kill %mariadb":       "TestGuides does the same",
	"DBA_PASSWORD=look":   "TestGuides does the same",
	"pfsd ":               "TestRecordingDocument does the same",
	"mkdir -m 700":        "as pfsd",
	"PFSD_RECORD=":        "as pfsd",
	"sleep 3":             "as pfsd",
	"kill -9":             "as pfsd",
}

// shellLine is a command of a block of a document.
type shellLine struct{ document, command string }

var (
	fence     = regexp.MustCompile("^ *```(.*)$")
	goLine    = regexp.MustCompile(`^ *(var|if|func|type) `)
	promptSQL = regexp.MustCompile(`^[a-z]+> `)
)

// shellBlocks returns the blocks of commands of a text in Markdown: lines that are indented by four
// spaces, except lines of Go, and in fences the lines that begin with a dollar sign.
func shellBlocks(document, text string) (blocks [][]shellLine) {
	var block []shellLine
	end := func() {
		if len(block) > 0 {
			blocks = append(blocks, block)
		}
		block = nil
	}
	fenced, continued, before := false, false, ""
	add := func(command string) {
		if continued {
			block[len(block)-1].command += "\n" + command
		} else {
			block = append(block, shellLine{document, command})
		}
		continued = strings.HasSuffix(command, `\`)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case fence.MatchString(line):
			end()
			fenced, continued = !fenced, false
		case fenced && (strings.HasPrefix(line, "$ ") || continued):
			add(strings.TrimPrefix(line, "$ "))
		case fenced:
		case strings.HasPrefix(line, "    ") && (before == "" || len(block) > 0) && !goLine.MatchString(line):
			if command := strings.TrimSpace(line); !promptSQL.MatchString(command) {
				add(command)
			}
		default:
			end()
		}
		before = line
	}
	end()
	return blocks
}

// TestShellOfTheDocumentsRuns: each block of commands in README.md and docs runs, except the
// commands of notRun.
func TestShellOfTheDocumentsRuns(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran, used := 0, map[string]bool{}
	for _, document := range append(documents, "../../README.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range shellBlocks(filepath.Base(document), string(text)) {
			var run []string
			for _, line := range block {
				if reason := reasonNotToRun(line.command, used); reason == "" {
					run = append(run, line.command)
				}
			}
			if len(run) == 0 {
				continue
			}
			ran++
			t.Run(fmt.Sprint(filepath.Base(document), i), func(t *testing.T) { runBlock(t, run) })
		}
	}
	if ran < 4 {
		t.Errorf("%d blocks ran", ran)
	}
	for begin := range notRun {
		if !used[begin] {
			t.Errorf("no document has a command %q", begin)
		}
	}
}

// reasonNotToRun returns why a command is not run, "" if it is.
func reasonNotToRun(command string, used map[string]bool) string {
	for begin, reason := range notRun {
		if strings.HasPrefix(command, begin) {
			used[begin] = true
			return reason
		}
	}
	return ""
}

// server is the beginning of the commands that start a server. Here the tested program runs them.
const server = "go run -tags gms_pure_go ./cmd/pfsd "

func runBlock(t *testing.T, commands []string) {
	dir := t.TempDir()
	if args, ok := strings.CutPrefix(commands[0], server); ok && len(commands) == 1 {
		runServer(t, dir, strings.Fields(args))
		return
	}
	// All other commands are those of a program that uses the module.
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := bytes.Cut(module, []byte("\n"))
	for name, text := range map[string][]byte{
		"go.mod": append([]byte("module example.com/program\n"), requirements...), "go.sum": sums, "main.go": goBlock.FindSubmatch(readme)[1],
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// go mod tidy would use a module proxy; its result is already in go.mod. go build would take a
	// minute. TestGoOfTheDocumentsCompiles compiles the program, so that it is enough here to find
	// its packages.
	script := strings.NewReplacer("../pfsd", root, "go mod tidy && ", "", "go build ", "go list -deps ").Replace(strings.Join(commands, "\n"))
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, strings.Join(commands, "\n"), out)
	}
}

// runServer starts a server with options of a document, on a free port and with its own directory.
// It waits until the server answers, and stops it.
func runServer(t *testing.T, dir string, args []string) {
	tested, socket := filepath.Join(dir, "pfsd"), filepath.Join(dir, "s.sock")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, tested); err != nil {
		t.Fatal(err)
	}
	for i, arg := range args {
		switch name, _, _ := strings.Cut(arg, "="); name {
		case "--port":
			args[i] = "--port=0"
		case "--datadir":
			args[i] = "--datadir=" + filepath.Join(dir, "data")
		}
	}
	var log bytes.Buffer
	cmd := exec.Command(tested, append(args, "--socket="+socket)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	deadline := time.After(2 * time.Minute)
	for exec.Command(tested, "ping", "--socket="+socket).Run() != nil {
		select {
		case err := <-ended:
			t.Fatalf("the server ended: %v\n%s", err, &log)
		case <-deadline:
			cmd.Process.Kill()
			<-ended
			t.Fatalf("the server does not answer\n%s", &log)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("%v\n%s", err, &log)
	}
}
