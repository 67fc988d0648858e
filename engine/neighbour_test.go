package engine

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"pfsd/engine/neighbour"
)

// TestNeighbour: another engine of go-mysql-server in the same process answers what it does alone, before there is a server, while one
// serves, and afterwards.
func TestNeighbour(t *testing.T) {
	oneAtATime(t)
	const inChild = "PFSD_TEST_NEIGHBOUR"
	if os.Getenv(inChild) == "" { // other tests have servers
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNeighbour$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	same := func(when string) {
		got, want := strings.Split(neighbour.Answers(), "\n"), strings.Split(neighbour.AnswersAlone, "\n")
		for i, line := range got {
			if i >= len(want) || line != want[i] {
				t.Errorf("%s, line %d:\n got %.300s\nwant %.300s", when, i+1, line, want[min(i, len(want)-1)])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d lines, want %d", when, len(got), len(want))
		}
	}
	same("before")
	t.Run("server", func(t *testing.T) {
		r := serve(t, Options{})
		r.exec(t, "CREATE TABLE test.t (a INT)")
		r.exec(t, "INSERT INTO test.t VALUES (1), (2)")
		r.exec(t, "SET GLOBAL max_connections = 99")
		r.want(t, "SELECT SUM(a) FROM test.t", "3")
		same("while a server serves")
		r.want(t, "SELECT SUM(a), @@GLOBAL.max_connections FROM test.t", "3|99")
	})
	same("afterwards")
}
