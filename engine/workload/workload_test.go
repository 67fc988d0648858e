package workload

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"pfsd/instr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// until waits for a condition, for a bounded time.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// Each mix without SQL must feed all of its instruments, one of them with a wait that lasts,
// and leave nothing behind.
func TestMixes(t *testing.T) {
	for _, name := range []string{"locks", "files", "sockets"} {
		t.Run("mix="+name, func(t *testing.T) {
			r := instr.NewRegistry()
			r.Setup().SetGoroutineThreads(0) // the test's own goroutine stays
			r.Setup().AddPattern("%", instr.PatternOn)
			r.Setup().SetConsumer(instr.ConsumerEventsWaitsCurrent, true)
			dir := t.TempDir()
			stop, err := Start(context.Background(), Config{
				Name: name, Rate: 500, Registry: r, Dir: dir,
				Logf: func(format string, args ...any) { t.Errorf(format, args...) },
			})
			if err != nil {
				t.Fatal(err)
			}
			until(t, "every instrument counts", func() bool {
				for _, c := range r.Reader().Classes() {
					if strings.Contains(c.Name(), "workload/") && c.Waits().Count == 0 {
						return false
					}
				}
				return true
			})
			if name == "locks" {
				until(t, "a wait that lasts", func() bool {
					for _, th := range r.Reader().Threads() {
						for _, e := range th.CurrentWaits(nil) {
							if !e.Ended {
								return true
							}
						}
					}
					return false
				})
			}
			if failed := stop(); failed != 0 {
				t.Errorf("%d operations failed", failed)
			}
			until(t, "all threads end", func() bool { return len(r.Reader().Threads()) == 0 })
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestMixEndsWithTheContext(t *testing.T) {
	r := instr.NewRegistry()
	r.Setup().SetGoroutineThreads(0) // the test's own goroutine stays
	ctx, cancel := context.WithCancel(context.Background())
	stop, err := Start(ctx, Config{Name: "locks", Registry: r, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	stop()
	until(t, "all threads end", func() bool { return len(r.Reader().Threads()) == 0 })
}

func TestStartRefuses(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Name: "nosuch"}, `workload "nosuch" is none of files, locks, mixed, sockets, sql`},
		{Config{Name: "locks", Rate: -1}, "workload rate -1 is out of range 0 to 100000"},
		{Config{Name: "locks", Concurrency: 65}, "workload concurrency 65 is out of range 0 to 64"},
		{Config{Name: "sql"}, `workload "sql" needs a server that listens on TCP`},
	} {
		c.config.Registry = instr.NewRegistry()
		if _, err := Start(context.Background(), c.config); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.config, err, c.want)
		}
	}
}

// Who loses its locks to others does its work again; other errors are told.
func TestVictimsTryAgain(t *testing.T) {
	other := &mysql.MySQLError{Number: 1062}
	results := []error{&mysql.MySQLError{Number: 1213}, fmt.Errorf("paying: %w", &mysql.MySQLError{Number: 1205}), other}
	n := 0
	if err := untilNoVictim(t.Context(), func() error { n++; return results[n-1] }); err != other || n != 3 {
		t.Errorf("after %d tries: %v", n, err)
	}
}
