package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pfsd/engine"
	"pfsd/instr"
)

// serve starts a server in this process, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	s, err := engine.New(engine.Options{Addr: "127.0.0.1:0", Registry: instr.NewRegistry(), LogError: os.DevNull, ProcessorShare: -1, InitializeInsecure: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return s.Addr().String()
}

// A short run finds no difference that is not in the lists.
func TestNoDifference(t *testing.T) {
	var out strings.Builder
	found, err := run(serve(t), "", options{seed: 1, worlds: 12, queries: 6, time: time.Minute, each: 1, only: "queries,frozen", out: &out})
	if err != nil {
		t.Fatal(err)
	}
	if found > 0 {
		t.Errorf("%d differences:\n%s", found, out.String())
	}
}

// The same beside MariaDB, where that is installed.
func TestNoDifferenceFromMariaDB(t *testing.T) {
	if _, err := exec.LookPath("mariadbd"); err != nil {
		return
	}
	peer, err := startMariaDB("mariadbd", "mariadb-install-db", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := peer.stop(); err != nil {
			t.Error(err)
		}
	}()
	var out strings.Builder
	found, err := run(serve(t), peer.addr, options{seed: 1, worlds: 9, queries: 6, time: time.Minute, each: 1, only: "mirrored,types,changes", out: &out})
	if err != nil {
		t.Fatal(err)
	}
	if found > 0 {
		t.Errorf("%d differences:\n%s", found, out.String())
	}
}

// A row that is missing in the tables without keys is noticed, and the statement is made small.
func TestFindsADifference(t *testing.T) {
	addr := serve(t)
	s := &servers{full: &session{addr: addr, database: "m", keys: true}, bare: &session{addr: addr, database: "k"}, counts: newCounts()}
	defer s.full.close()
	defer s.bare.close()
	w := &world{modes: standardModes, collation: collations[0], tables: []*table{{name: "t", fields: 2, rows: [][]string{{"1", "7"}, {"2", "8"}},
		columns: []*tableColumn{{name: identity, kind: typeNamed("INT")}, {name: "c", kind: typeNamed("INT"), null: true}}}}}
	for _, on := range []*session{s.full, s.bare} {
		if text, err := on.load(w); err != nil {
			t.Fatal(text, err)
		}
	}
	if o := s.bare.run("DELETE FROM t WHERE id = 2"); o.err != nil {
		t.Fatal(o.err)
	}
	g := &writer{r: rand.New(rand.NewPCG(1, 1)), w: w}
	for range 100 {
		q := g.simple(nil, nil, 0)
		if len(q.source.tables) > 1 || q.where != nil || !q.plain {
			continue
		}
		d := ways(s, &trial{world: w, q: q}, "")
		if d == nil || d.kind != "ways: bare rows" {
			t.Errorf("%s: %v", q, d)
		}
		return
	}
	t.Error("no query")
}

// A statement becomes as small as what fails.
func TestShrink(t *testing.T) {
	g := &writer{r: rand.New(rand.NewPCG(3, 3)), w: newWorld(rand.New(rand.NewPCG(2, 2)), false, false), mixed: 15}
	fails := oracle{"outer joins", func(_ *servers, t *trial, _ string) *difference {
		if s := t.q.String(); strings.Contains(s, "LEFT JOIN") && strings.Contains(s, "COALESCE") {
			return &difference{kind: "has both", text: s}
		}
		return nil
	}}
	for range 2000 {
		q := g.statement()
		trial := &trial{world: &world{frozen: true}, q: q}
		d := fails.check(nil, trial, "")
		if d == nil || strings.Count(q.String(), "COALESCE") > 1 {
			continue
		}
		before := len(d.text)
		d = shrink(nil, fails, trial, d, time.Now().Add(time.Minute))
		if len(d.text) > before/2+120 {
			t.Errorf("%d bytes have become %s", before, d.text)
		}
		return
	}
	t.Error("no query has both")
}

// Each line of the lists can be read, and has an answer to who is right.
func TestRules(t *testing.T) {
	for _, text := range []string{mariadbRules, openRules} {
		rules, err := parseRules(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			if r.right != "pfsd" && r.right != "mariadb" && r.right != "both" || r.reason == "" {
				t.Errorf("%+v", r)
			}
		}
	}
}

// One seed makes the same statements each time.
func TestSeed(t *testing.T) {
	make := func() (all []string) {
		r := rand.New(rand.NewPCG(7, 7))
		w := newWorld(r, true, true)
		g := &writer{r: r, w: w, mixed: 15}
		all = w.statements(true)
		for range 50 {
			all = append(all, g.statement().String())
		}
		for _, x := range g.script() {
			all = append(all, x.String())
		}
		return all
	}
	if a, b := strings.Join(make(), "\n"), strings.Join(make(), "\n"); a != b {
		t.Error("two runs differ")
	}
}
