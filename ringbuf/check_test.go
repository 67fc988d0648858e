package ringbuf

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// testEvent is an event whose words all depend on who wrote it and which one it is.
type testEvent [8]uint64

const (
	testSeq = iota // how many events its writer wrote before it
	testWriter
	testStamp // may be raised by Long.Append
	testWords // the first of the words that are functions of testSeq and testWriter
)

func newTestEvent(writer, seq, stamp uint64) testEvent {
	e := testEvent{testSeq: seq, testWriter: writer, testStamp: stamp}
	for i := testWords; i < len(e); i++ {
		e[i] = mix(writer, seq, uint64(i))
	}
	return e
}

// fill stores the event into a slot as a caller of Claim does.
func (e *testEvent) fill(slot *testEvent) {
	for i := range e {
		Store(&slot[i], e[i])
	}
}

// mix depends on the order of its arguments.
func mix(writer, seq, i uint64) uint64 {
	return (seq*0x9E3779B97F4A7C15+writer)*0xBF58476D1CE4E5B9 ^ i*0x94D049BB133111EB
}

// torn says what is wrong with an event that a reader got.
func (e *testEvent) torn() error {
	for i := testWords; i < len(e); i++ {
		if want := mix(e[testWriter], e[testSeq], uint64(i)); e[i] != want {
			return fmt.Errorf("torn event: writer %d, number %d, word %d is %#x, want %#x", e[testWriter], e[testSeq], i, e[i], want)
		}
	}
	return nil
}

// pace is how often a reader reads.
type pace struct {
	name   string
	period time.Duration
	rounds int
}

var paces = []pace{
	{"10Hz", 100 * time.Millisecond, 2},
	{"1kHz", time.Millisecond, 30},
	{"nopause", 0, 2000},
}

// soak is how long each torn-row test lasts after its rounds: the environment variable PFSD_SOAK,
// such as 1m.
func soak(t testing.TB) time.Duration {
	s := os.Getenv("PFSD_SOAK")
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatalf("PFSD_SOAK: %v", err)
	}
	return d
}

// enough is how long a reader reads after its first rounds, unless PFSD_SOAK is set.
const enough = 150 * time.Millisecond

// read calls round at this pace, often enough, or as long as PFSD_SOAK says. It stops when round
// returns an error.
func (p pace) read(t *testing.T, round func() error) {
	t.Helper()
	rounds, length := p.rounds, soak(t)
	if testing.Short() {
		rounds /= 10
	}
	begin := time.Now()
	var tick <-chan time.Time
	if p.period > 0 {
		ticker := time.NewTicker(p.period)
		defer ticker.Stop()
		tick = ticker.C
	}
	for i := 0; i < 2 || i < rounds && time.Since(begin) < enough || time.Since(begin) < length; i++ {
		if err := round(); err != nil {
			t.Error(err)
			return
		}
		if tick != nil {
			<-tick
		}
	}
}

// eventually waits for a condition that other goroutines bring about.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(50 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
