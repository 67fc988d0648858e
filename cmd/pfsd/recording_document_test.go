package main

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"pfsd/cmd/pfsd/weave"
	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

const recordingDocument = "../../docs/recording.md"

// TestRecordingDocument does what the first part of the document says, with its program, its commands and its statement, and gets its
// answer. Where the document sleeps, the test waits until the program is stuck.
func TestRecordingDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	if tc, err := weave.Find(""); err != nil || !tc.Recorded() {
		t.Skipf("nothing is recorded here: %v", err)
	}
	document, err := os.ReadFile(recordingDocument)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(document), "\n## ")
	program := goBlock.FindStringSubmatch(text)
	before, _, _ := strings.Cut(text, "\n$ mariadb ")
	commands := regexp.MustCompile(`(?m)^    (.+)$`).FindAllStringSubmatch(before, -1)
	session := regexp.MustCompile("(?s)\n\\$ mariadb [^\n]+\n> (.+?;)\n(.+?)\n```").FindStringSubmatch(text)
	if program == nil || session == nil {
		t.Fatal("the document has no program or no session")
	}

	dir, recordings := t.TempDir(), filepath.Join(t.TempDir(), "recordings")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "pfsd")); err != nil {
		t.Fatal(err)
	}
	shell := func(command string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "exec "+strings.ReplaceAll(command, "/tmp/recordings", recordings))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GOFLAGS=")
		return cmd
	}
	var shop *process
	var db *sql.DB
	for _, c := range commands {
		switch command := strings.TrimSpace(strings.TrimSuffix(c[1], "&")); {
		case strings.HasPrefix(command, "PFSD_RECORD="):
			fields := strings.Fields(command)
			cmd := shell(fields[len(fields)-1])
			for _, variable := range fields[:len(fields)-1] {
				cmd.Env = append(cmd.Env, strings.ReplaceAll(variable, "/tmp/recordings", recordings))
			}
			shop = start(t, cmd)
		case strings.HasPrefix(command, "sleep "):
			awaitDeadlock(t, recordings)
		case command == "kill -9 %1":
			_ = shop.cmd.Process.Kill()
			<-shop.ended
		case strings.HasPrefix(command, "pfsd attach "):
			cmd := shell(strings.ReplaceAll(command, "--port=3307", "--port=0 --socket="+filepath.Join(dir, "s.sock")))
			cmd.Stdout = os.Stderr
			port := start(t, cmd).says(t, readyForConnections)
			if db, err = sql.Open("mysql", "root@tcp(127.0.0.1:"+port+")/performance_schema"); err != nil {
				t.Fatal(err)
			}
			defer db.Close()
		default:
			out, err := shell(command).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			if strings.HasPrefix(command, "pfsd ps") && !strings.Contains(string(out), "running") {
				t.Errorf("%s\n%s", command, out)
			}
		}
	}
	if db == nil {
		t.Fatal("the document does not attach")
	}

	var edges int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM sys.deadlocks").Scan(&edges); err != nil || edges != 2 {
		t.Errorf("sys.deadlocks has %d rows, %v", edges, err)
	}
	columns, answered, err := query(t.Context(), db, strings.TrimSuffix(session[1], ";"))
	if err != nil {
		t.Fatal(err)
	}
	answer := append([][]string{columns}, answered...)
	var shown [][]string
	for _, line := range strings.Split(session[2], "\n") {
		if strings.HasPrefix(line, "|") {
			shown = append(shown, cellsOf(line))
		}
	}
	for _, lines := range [][][]string{answer, shown} {
		slices.SortFunc(lines[1:], slices.Compare[[]string])
	}
	if !slices.EqualFunc(answer, shown, slices.Equal[[]string]) {
		t.Errorf("the answer is %q, in the document %q", answer, shown)
	}
}

// awaitDeadlock waits until two threads of the program that is recorded wait for each other.
func awaitDeadlock(t *testing.T, dir string) {
	t.Helper()
	for t.Context().Err() == nil {
		rec, err := record.Find(dir)
		if err != nil {
			continue
		}
		edges := len(rows(t, recorded.New(rec, tables.Of(instr.NewRegistry())), "deadlocks", "PLACE"))
		_ = rec.Close()
		if edges == 2 {
			return
		}
	}
}
