package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/perf/benchmath"
)

// dearer is the ratio of costs above which a change fails: below it, it may be noise.
const dearer = 1.03

// confidence is that of the intervals.
const confidence = 0.95

// against measures what a revision costs beside the working tree, in one run by turns.
func against(args []string) (err error) {
	flags := flag.NewFlagSet("bench against", flag.ExitOnError)
	rounds := flags.Int("rounds", 61, "how many `pairs` of slices are measured of each cost; fewer than 6 say nothing")
	quick := flags.Bool("quick", false, "measure fewer pairs, and leave out what takes long to build")
	only := flags.String("only", "", "an `expression` that the names of the costs match")
	builds := flags.Bool("build", false, "build both from empty caches as well, which takes minutes")
	allowed := flags.String("allowed", "testdata/bench/allowed.tsv", "the `file` with the costs that may rise, and why")
	_ = flags.Parse(args)
	if flags.NArg() != 1 {
		return errors.New("against needs one revision to compare with")
	}
	which, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	exceptions, err := readAllowed(*allowed)
	if err != nil {
		return err
	}
	if *quick {
		*rounds = min(*rounds, 15)
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	base := filepath.Join(dir, "tree")
	if out, err := exec.Command("git", "worktree", "add", "--detach", base, flags.Arg(0)).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", flags.Arg(0), err, out)
	}
	defer func() { err = errors.Join(err, exec.Command("git", "worktree", "remove", "--force", base).Run()) }()
	sides := [2]*side{{name: "base", tree: base, dir: filepath.Join(dir, "base")}, {name: "head", tree: ".", dir: filepath.Join(dir, "head")}}
	costs, end, err := costsOf(sides, which, *quick, *builds)
	if err != nil {
		return errors.Join(err, end())
	}
	defer func() { err = errors.Join(err, end()) }()
	const line = "%-60s  %22s  %9s  %-16s  %s\n"
	fmt.Printf(line, "what", flags.Arg(0), "head/base", "interval", "verdict")
	var failed []string
	for _, c := range costs {
		compared, err := c.compare(sides, *rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		for _, r := range compared {
			verdict := r.verdict(exceptions)
			fmt.Printf(line, r.name, fmt.Sprintf("%.4g %s", r.base, c.unit), fmt.Sprintf("%.3f", r.ratio.Center), fmt.Sprintf("%.3f to %.3f", r.ratio.Lo, r.ratio.Hi), verdict)
			if verdict == isDearer {
				failed = append(failed, r.name)
			}
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("dearer than %s by more than %g %%: %s", flags.Arg(0), math.Round(100*(dearer-1)), strings.Join(failed, ", "))
	}
	return nil
}

// cost is what is compared. A slice of it takes some ten milliseconds, and yields one figure, or several by their names.
type cost struct {
	name, unit string
	slice      func(s *side) (map[string]float64, error)
	once       bool // what it measures does not vary
}

// comparison is how a cost of the working tree compares with the revision's.
type comparison struct {
	name  string
	base  float64 // the median
	ratio benchmath.Summary
}

// compare measures both sides by turns, the first of each pair last in the next.
func (c *cost) compare(sides [2]*side, rounds int) (all []comparison, err error) {
	if c.once {
		rounds = 1
	}
	var names []string
	figures, pairs := map[string][]float64{}, map[string][]float64{}
	for round := range rounds {
		var both [2]map[string]float64
		for k := range both {
			i := (round + k) % 2
			if both[i], err = c.slice(sides[i]); err != nil {
				return nil, err
			}
		}
		for name, head := range both[1] {
			base, ok := both[0][name]
			if !ok || base <= 0 { // only one of them has it
				continue
			}
			if pairs[name] == nil {
				names = append(names, name)
			}
			figures[name], pairs[name] = append(figures[name], base), append(pairs[name], head/base)
		}
	}
	for _, name := range names {
		r := comparison{name: strings.TrimSpace(c.name + " " + name), base: quantile(figures[name], 0.5)}
		if c.once {
			r.ratio = benchmath.Summary{Center: pairs[name][0], Lo: pairs[name][0], Hi: pairs[name][0]}
		} else {
			r.ratio = benchmath.AssumeNothing.Summary(benchmath.NewSample(pairs[name], &benchmath.DefaultThresholds), confidence)
		}
		all = append(all, r)
	}
	return all, nil
}

// The verdicts.
const (
	isDearer  = "DEARER"
	isAllowed = "dearer, allowed"
	isCheaper = "cheaper"
	isSame    = ""
)

// verdict says whether the whole interval lies above or below what may be noise.
func (r *comparison) verdict(exceptions map[string]bool) string {
	switch {
	case r.ratio.Lo > dearer && exceptions[r.name]:
		return isAllowed
	case r.ratio.Lo > dearer:
		return isDearer
	case r.ratio.Hi < 1/dearer:
		return isCheaper
	}
	return isSame
}

// readAllowed reads the costs that may rise: lines of a name, a tab and a reason.
func readAllowed(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, "\t")
		if reason == "" {
			return nil, fmt.Errorf("%s:%d: %q has no reason", path, i+1, name)
		}
		all[name] = true
	}
	return all, nil
}
