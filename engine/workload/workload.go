package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pfsd/instr"
)

// Config says what to run. Only Name is required.
type Config struct {
	// Name is the mix, one of Names.
	Name string
	// Rate is how many operations each worker does in a second, at the most; 0 means 50.
	Rate float64
	// Concurrency is how many workers of each sort there are; 0 means 2.
	Concurrency int
	// Addr is where the server listens for SQL sessions, as host:port; "" for a mix without them.
	Addr string
	// Password is that of the accounts that the sessions use; see Accounts.
	Password string
	// Dir is a directory for the mix's files, which it makes and removes; "" means a
	// temporary one.
	Dir string
	// Registry is where the work is recorded; nil means instr.Default.
	Registry *instr.Registry
	// Logf is told of an operation that failed; nil means nobody is.
	Logf func(format string, args ...any)
}

// The limits of a Config.
const (
	DefaultRate        = 50
	DefaultConcurrency = 2
	MaxRate            = 100_000
	MaxConcurrency     = 64
)

// workSort is one sort of work: it sets up what its workers share, and returns their jobs.
type workSort func(*run) ([]job, error)

// job is one worker: the name of its thread, and what it does until the context ends.
type job struct {
	name string
	work func(context.Context) error
}

// mix is a workload: the sorts of work in it, and whether they need the server's address.
type mix struct {
	sorts []workSort
	sql   bool
}

// mixes are the workloads by name.
var mixes = map[string]mix{
	"mixed":   {[]workSort{locks, queue, fileIO, echo, sessions}, true},
	"locks":   {[]workSort{locks, queue}, false},
	"files":   {[]workSort{fileIO}, false},
	"sockets": {[]workSort{echo}, false},
	"sql":     {[]workSort{sessions}, true},
}

// Names returns the names of the mixes, sorted.
func Names() []string {
	var names []string
	for name := range mixes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// run is a mix at work.
type run struct {
	Config
	failed atomic.Uint64
	// closers end what the workers may be blocked in.
	closers []func()
}

// Check tells why a Config cannot be started, if it cannot.
func Check(c Config) error {
	m, ok := mixes[c.Name]
	switch {
	case !ok:
		return fmt.Errorf("workload %q is none of %s", c.Name, strings.Join(Names(), ", "))
	case m.sql && c.Addr == "":
		return fmt.Errorf("workload %q needs a server that listens on TCP", c.Name)
	case c.Rate < 0 || c.Rate > MaxRate:
		return fmt.Errorf("workload rate %v is out of range 0 to %d", c.Rate, MaxRate)
	case c.Concurrency < 0 || c.Concurrency > MaxConcurrency:
		return fmt.Errorf("workload concurrency %d is out of range 0 to %d", c.Concurrency, MaxConcurrency)
	}
	return nil
}

// Start runs a mix until the context ends or stop is called; stop returns when all of its
// workers have ended and its files are removed, with how many operations have failed.
func Start(ctx context.Context, c Config) (stop func() (failed uint64), err error) {
	if err := Check(c); err != nil {
		return nil, err
	}
	if c.Rate == 0 {
		c.Rate = DefaultRate
	}
	if c.Concurrency == 0 {
		c.Concurrency = DefaultConcurrency
	}
	if c.Registry == nil {
		c.Registry = instr.Default
	}
	if c.Logf == nil {
		c.Logf = func(string, ...any) {}
	}
	parent := c.Dir
	if parent == "" {
		parent = os.TempDir()
	}
	if c.Dir, err = os.MkdirTemp(parent, "workload-"); err != nil {
		return nil, err
	}
	r := &run{Config: c}
	var jobs []job
	for _, s := range mixes[c.Name].sorts {
		js, err := s(r)
		if err != nil {
			r.close()
			return nil, err
		}
		jobs = append(jobs, js...)
	}
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	for _, j := range jobs {
		workers.Add(1)
		r.Registry.Go("workload/"+j.name, func() {
			defer workers.Done()
			r.work(ctx, j)
		})
	}
	// Workers may be blocked in an operation that knows of no context.
	unblock := context.AfterFunc(ctx, func() {
		for _, f := range r.closers {
			f()
		}
	})
	return sync.OnceValue(func() uint64 {
		cancel()
		if unblock() {
			for _, f := range r.closers {
				f()
			}
		}
		workers.Wait()
		r.close()
		return r.failed.Load()
	}), nil
}

// close removes the mix's files.
func (r *run) close() {
	if err := os.RemoveAll(r.Dir); err != nil {
		r.Logf("workload: %v", err)
	}
}

// work does a job at the mix's rate.
func (r *run) work(ctx context.Context, j job) {
	pace := time.NewTicker(time.Duration(float64(time.Second) / r.Rate))
	defer pace.Stop()
	for ctx.Err() == nil {
		if err := j.work(ctx); err != nil && ctx.Err() == nil {
			r.failed.Add(1)
			r.Logf("workload: %s: %v", j.name, err)
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
}

// perWorker makes one job for each of Concurrency workers.
func (r *run) perWorker(name string, work func(worker int) func(context.Context) error) []job {
	var jobs []job
	for i := range r.Concurrency {
		jobs = append(jobs, job{name, work(i)})
	}
	return jobs
}

// path is the path of a file of the mix.
func (r *run) path(elements ...string) string {
	return filepath.Join(append([]string{r.Dir}, elements...)...)
}

// firstError returns the first of several results that is an error.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// pause waits as an operation that takes a while does; it ends early with the context.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

var errEnded = errors.New("the workload has ended")
