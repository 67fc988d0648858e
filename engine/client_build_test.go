package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// buildClient builds the program of testdata/clients/NAME, or the tool pkg of the module there if
// that is not empty, and returns its path. It is slow the first time; later the build cache has it.
func buildClient(t testing.TB, name, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if pkg == "" {
		pkg = "."
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-p", "1", "-o", path, pkg)
	cmd.Dir = filepath.Join(clientDir, name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build of %s: %v\n%s", name, err, out)
	}
	return path
}
