package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	var o options
	binary := flag.String("pfsd", "bin/pfsd", "pfsd's `binary`")
	mariadbd := flag.String("mariadbd", "mariadbd", "MariaDB's `binary`; without one only the oracles that need none are used")
	install := flag.String("mariadb-install-db", "mariadb-install-db", "the `program` that makes MariaDB's system tables")
	flag.DurationVar(&o.time, "time", 30*time.Second, "how long to go on")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "the `number` that all worlds and statements follow from")
	flag.BoolVar(&o.all, "all", false, "report differences that are known, too")
	flag.IntVar(&o.each, "each", 3, "how many differences of each kind are made smaller and reported")
	flag.IntVar(&o.known, "known", 3, "how many differences that look like a known one are made smaller, for each line of the lists: a small one may be another")
	flag.StringVar(&o.only, "only", "", "what to ask about, separated by commas: queries, mirrored, types, changes, frozen")
	flag.Parse()
	o.out = os.Stdout
	if err := compareServers(*binary, *mariadbd, *install, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are those of a run.
type options struct {
	time        time.Duration
	seed        uint64
	all         bool
	only        string
	each, known int
	queries     int // about each world; 0 for many
	worlds      int // how many to make at most; 0 for no limit
	out         io.Writer
	ended       <-chan os.Signal
}

// compareServers starts the servers, runs, and stops them.
func compareServers(binary, mariadbd, install string, o options) (err error) {
	dir, err := os.MkdirTemp("", "differential")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	o.ended = ended
	tested, err := startPfsd(binary, dir)
	defer func() { err = errors.Join(err, tested.stop()) }()
	if err != nil {
		return err
	}
	peer := ""
	if _, missing := exec.LookPath(mariadbd); missing == nil && mariadbd != "" {
		s, err := startMariaDB(mariadbd, install, dir)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.stop()) }()
		peer = s.addr
	}
	found, err := run(tested.addr, peer, o)
	if err == nil && found > 0 {
		err = fmt.Errorf("%d differences", found)
	}
	if _, gone := os.Stat(filepath.Join(dir, "pfsd.log")); gone == nil {
		log, _ := os.ReadFile(filepath.Join(dir, "pfsd.log"))
		if panics := panicsOf(string(log)); panics != "" {
			err = errors.Join(err, fmt.Errorf("the server's log has panics\n%s", panics))
		}
	}
	return err
}

// panicsOf returns the lines of a log that say which statements ended in a panic, or that the server did, at most ten.
func panicsOf(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if (strings.Contains(line, "[MY-001815]") || strings.HasPrefix(line, "panic") || strings.HasPrefix(line, "fatal error")) && len(lines) < 10 {
			lines = append(lines, line[:min(len(line), 4000)])
		}
	}
	return strings.Join(lines, "")
}

// run asks until the time is over. It returns the number of differences that are not known.
func run(addr, peer string, o options) (int, error) {
	open, err := parseRules(openRules)
	if err != nil {
		return 0, err
	}
	known, err := parseRules(mariadbRules)
	if err != nil {
		return 0, err
	}
	c := newCounts()
	s := &servers{full: &session{addr: addr, database: "m", keys: true}, bare: &session{addr: addr, database: "k"}, counts: c}
	defer s.full.close()
	defer s.bare.close()
	if peer != "" {
		s.mirror = &session{addr: peer, database: "m", keys: true}
		defer s.mirror.close()
	}
	l := &lab{servers: s, options: o, rules: append(open, known...), end: time.Now().Add(o.time), seen: map[string]bool{}, shrunk: map[string]int{}, looked: map[*rule]int{}}
	for i := uint64(0); time.Now().Before(l.end) && (o.worlds == 0 || c.worlds < o.worlds); i++ {
		select {
		case <-o.ended:
			l.end = time.Now()
			continue
		default:
		}
		if err := l.world(rand.New(rand.NewPCG(o.seed, i)), i); err != nil {
			return l.found, err
		}
	}
	fmt.Fprintf(o.out, "seed %d\n", o.seed)
	c.print(o.out)
	return l.found, nil
}

// lab makes worlds, and asks about them.
type lab struct {
	*servers
	options options
	rules   []rule
	end     time.Time
	found   int
	seen    map[string]bool // reports, without what differs from case to case
	shrunk  map[string]int  // by kind of difference
	looked  map[*rule]int   // how many differences that a rule seems to have a cause for are made smaller
	frozen  *world
}

// shrinking is how long a trial is made smaller at most.
const shrinking = 8 * time.Second

// kinds of worlds: what queries are about, what is compared with MariaDB, what statements change, and performance_schema.
const kinds = 8

func (l *lab) wants(what string) bool {
	return l.options.only == "" || strings.Contains(","+l.options.only+",", ","+what+",")
}

// world makes a world, and asks about it.
func (l *lab) world(r *rand.Rand, i uint64) error {
	queries := l.options.queries
	if queries == 0 {
		queries = 40
	}
	t := &trial{shared: l.mirror != nil && i%kinds >= 2}
	switch {
	case i%kinds == kinds-1:
		if !l.wants("frozen") {
			return nil
		}
		if l.frozen == nil {
			w, e := freeze(l.full)
			if e != nil {
				return e
			}
			l.frozen = w
		}
		t.world, t.shared = l.frozen, false
	case i%kinds >= kinds-3:
		if !t.shared || !l.wants("changes") {
			return nil
		}
		for range 6 {
			t.world = newWorld(r, true, true)
			g := &writer{r: r, w: t.world, shared: true}
			t.script, t.q = g.script(), nil
			l.counts.worlds++
			l.ask(t, mirrored)
		}
		return nil
	default:
		if t.shared && !l.wants("mirrored") || !t.shared && !l.wants("queries") {
			return nil
		}
		t.world = newWorld(r, t.shared, false)
	}
	l.counts.worlds++
	for _, on := range []*session{l.full, l.bare, l.mirror} {
		if on == nil || on == l.mirror && !t.shared {
			continue
		}
		if text, err := on.load(t.world); err != nil {
			l.counts.refuse("setup: "+reason(err), text)
			return nil
		}
	}
	for range queries {
		if time.Now().After(l.end) {
			return nil
		}
		g := &writer{r: r, w: t.world, mixed: 15, shared: t.shared}
		if t.world.frozen {
			small := *t.world // two or three tables, so that joins are about them
			small.tables = []*table{pick(r, small.tables...), pick(r, small.tables...), small.tables[1]}
			g.w = &small
		}
		t.q = g.statement()
		all := oracles
		if t.shared {
			all = slices.Concat(mirrored, oracles)
			if l.wants("types") {
				all = append(all, typed...)
			}
		}
		l.ask(t, all)
		for _, on := range []*session{l.full, l.bare, l.mirror} { // what a shrunk trial has left, or a connection that broke
			if on != nil && (on != l.mirror || t.shared) {
				if _, err := on.load(t.world); err != nil {
					return nil
				}
			}
		}
	}
	return nil
}

// ask checks a trial by each oracle, and reports the first difference.
func (l *lab) ask(t *trial, all []oracle) {
	for _, o := range all {
		l.counts.checks[o.name]++
		d := o.check(l.servers, t, "")
		if d == nil {
			continue
		}
		if !l.options.all {
			if r := match(l.rules, d, golden(t, d)); r != nil {
				if l.looked[r]++; l.looked[r] > l.options.known {
					l.counts.open[r.reason]++
					return
				}
			}
		}
		l.report(t, o, d)
		return
	}
}

// report shrinks a trial, and prints it unless it is known.
func (l *lab) report(t *trial, o oracle, d *difference) {
	if l.shrunk[d.kind]++; l.shrunk[d.kind] > l.options.each+l.options.known {
		l.counts.found[d.kind]++
		l.found++
		return
	}
	small := t.copy()
	counted := l.counts
	l.counts = newCounts() // what shrinking does is not counted
	if again := o.check(l.servers, small, d.kind); again == nil || again.kind != d.kind {
		counted.refuse("not seen again: "+d.kind, d.text)
	} else {
		d = shrink(l.servers, o, small, again, time.Now().Add(shrinking))
	}
	l.counts = counted
	text := golden(small, d)
	if r := match(l.rules, d, text); r != nil && !l.options.all {
		l.counts.open[r.reason]++
		return
	}
	l.counts.found[d.kind]++
	l.found++
	shape := d.kind + digits.ReplaceAllString(d.text, "?")
	if l.seen[shape] {
		return
	}
	l.seen[shape] = true
	fmt.Fprintf(l.options.out, "%s\n========\n", text)
}
