package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Programs of others that measure themselves: what the recording has is what they say, within 5 %.

// agrees asks a question whose only row must be numbers that differ from those of the program by 5 % at most. It asks both again until
// that is so, as a program that runs goes on counting.
func agrees(t *testing.T, p recordedProgram, question string, own func() []float64) {
	t.Helper()
	db := p.ask(t)
	for deadline := time.Now().Add(time.Minute); ; {
		said := own()
		_, rows, err := query(t.Context(), db, question)
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		same := len(rows) == 1 && len(rows[0]) == len(said)
		for i := 0; same && i < len(said); i++ {
			got, err := strconv.ParseFloat(rows[0][i], 64)
			same = err == nil && said[i] > 0 && got >= said[i]*0.95 && got <= said[i]*1.05
		}
		if same {
			t.Logf("%s\n\t%v, the program says %v", question, rows[0], said)
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s\n got %q\nthe program says %v", question, rows, said)
		}
	}
}

// got is the answer to a GET, "" if there is none yet.
func got(url string) string {
	r, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return ""
	}
	return string(text)
}

// NATS sends messages by net.Buffers, and says how many bytes they had.
func TestProgramNATS(t *testing.T) {
	needPrograms(t)
	port, monitor := freePort(t), freePort(t)
	p := runRecording(t, installed(t, "NATS"), nil, "-a", "127.0.0.1", "-p", port, "-m", monitor)
	counted := func() []float64 {
		var varz struct {
			Received float64 `json:"in_bytes"`
			Sent     float64 `json:"out_bytes"`
		}
		_ = json.Unmarshal([]byte(got("http://127.0.0.1:"+monitor+"/varz")), &varz)
		return []float64{varz.Received, varz.Sent}
	}
	until(t, "NATS answers", func() bool { return got("http://127.0.0.1:"+monitor+"/varz") != "" })
	const messages, size = 2000, 8192
	var all sync.WaitGroup
	for range 2 {
		_, r := natsClient(t, port, "SUB x 1\r\n")
		all.Go(func() {
			_, _ = io.CopyN(io.Discard, r, messages*int64(len(fmt.Sprintf("MSG x 1 %d\r\n", size))+size+2))
		})
	}
	w, _ := natsClient(t, port, "")
	message := fmt.Appendf(nil, "PUB x %d\r\n%s\r\n", size, strings.Repeat("a", size))
	for range messages {
		if _, err := w.Write(message); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if c := counted(); c[0] != messages*size || c[1] != 2*messages*size {
		t.Errorf("NATS says %v", c)
	}
	agrees(t, p, `SELECT SUM(SUM_NUMBER_OF_BYTES_READ), SUM(SUM_NUMBER_OF_BYTES_WRITE) FROM socket_summary_by_event_name
		WHERE EVENT_NAME IN ('wait/io/socket/server/client.readLoop', 'wait/io/socket/server/client.flushOutbound')`, counted)
}

// natsClient connects to NATS, sends it a command, and waits until it has done that.
func natsClient(t *testing.T, port, command string) (io.Writer, io.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	r := bufio.NewReader(conn)
	if _, err := fmt.Fprintf(conn, "CONNECT {\"verbose\":false}\r\n%sPING\r\n", command); err != nil {
		t.Fatal(err)
	}
	for line := ""; line != "PONG\r\n"; {
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return conn, r
}

// Etcd counts and times each fdatasync of its log.
func TestProgramEtcd(t *testing.T) {
	needPrograms(t)
	port, peers := freePort(t), freePort(t)
	client, peer := "http://127.0.0.1:"+port, "http://127.0.0.1:"+peers
	p := runRecording(t, ownModule(t, "etcd"), nil, "--data-dir", t.TempDir(), "--log-level", "error", "--listen-client-urls", client,
		"--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	put := func() bool {
		r, err := http.Post(client+"/v3/kv/put", "application/json", strings.NewReader(`{"key": "Zm9v", "value": "YmFy"}`))
		if err != nil {
			return false
		}
		defer func() { _ = r.Body.Close() }()
		_, err = io.Copy(io.Discard, r.Body)
		return err == nil && r.StatusCode == http.StatusOK
	}
	until(t, "etcd has a leader", put)
	for range 200 {
		if !put() {
			t.Fatal("a key is not stored")
		}
	}
	agrees(t, p, "SELECT COUNT_STAR, SUM_TIMER_WAIT / 1e12 FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/io/file/fileutil/Fdatasync'", func() []float64 {
		text := got(client + "/metrics")
		return []float64{metric(text, "etcd_disk_wal_fsync_duration_seconds_count"), metric(text, "etcd_disk_wal_fsync_duration_seconds_sum")}
	})
}

// metric is the value of one of Prometheus's metrics without labels, 0 if there is none.
func metric(text, name string) float64 {
	if found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text); found != nil {
		f, _ := strconv.ParseFloat(found[1], 64)
		return f
	}
	return 0
}

// Badger has as many goroutines that wait for something to compact as it has compactors, and 128 processors; the profile of what has
// blocked in the program times each wait.
func TestProgramBadger(t *testing.T) {
	needPrograms(t)
	built, dir := ownModule(t, "badger"), t.TempDir()
	cmd := exec.CommandContext(t.Context(), built, filepath.Join(t.TempDir(), "data"))
	cmd.Env = append(os.Environ(), "PFSD_RECORD="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	profile, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	count, seconds := blocked(string(profile), ").runCompactor+")
	agrees(t, recordedProgram{dir: dir}, "SELECT COUNT_STAR, SUM_TIMER_WAIT / 1e12 FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME = 'wait/synch/cond/select/v4.levelsController.runCompactor'",
		func() []float64 { return []float64{count, seconds} })
}

// blocked is how often and how long a function has waited in a select, by the text of a profile.
func blocked(profile, function string) (count, seconds float64) {
	perSecond := metric(strings.ReplaceAll(profile, "cycles/second=", "cycles "), "cycles")
	for _, stack := range strings.Split(profile, "\n\n") {
		lines := strings.Split(strings.TrimSpace(stack), "\n")
		for i, line := range lines {
			var cycles, n float64
			if _, err := fmt.Sscanf(line, "%g %g @", &cycles, &n); err == nil && i+2 < len(lines) && strings.Contains(lines[i+2], function) {
				count, seconds = count+n, seconds+cycles/perSecond
			}
		}
	}
	return count, seconds
}
