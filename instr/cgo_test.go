package instr

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Goroutines that C calls Go in are threads as any: those of threads that C has made, too, which live on between two calls.
func TestUsedInCallbacksOfC(t *testing.T) {
	needsGoroutineThreads(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no C compiler")
	}
	c := exec.Command("go", "run", "./testdata/cgo")
	c.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := c.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%v: %s", err, out)
	}
}
