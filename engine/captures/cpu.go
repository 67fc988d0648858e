package captures

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"pfsd/tables"
)

const (
	// maxStacks is how many rows a profile has, besides one for all others.
	maxStacks = 10_000
	// maxStackText is how long the text of a stack is at most, bytes.
	maxStackText = 16 << 10
)

// readProfile returns the rows of a CPU profile, the largest first.
func readProfile(id uint64, text []byte) ([]tables.CPUSample, error) {
	p, err := profile.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if len(p.SampleType) != 2 || p.SampleType[1].Unit != "nanoseconds" {
		return nil, errors.New("it is no CPU profile")
	}
	rows := map[[3]string]*tables.CPUSample{} // by thread, digest and stack
	for _, s := range p.Sample {
		row := describe(s)
		key := [3]string{row.Thread, row.Digest, row.Stack}
		if rows[key] == nil {
			row.Capture = id
			rows[key] = &row
		}
		rows[key].Samples += uint64(max(s.Value[0], 0))
		rows[key].CPU += uint64(max(s.Value[1], 0)) * 1000
	}
	all := make([]tables.CPUSample, 0, len(rows))
	for _, row := range rows {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(a, b tables.CPUSample) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Digest, b.Digest))
	})
	if len(all) > maxStacks {
		others := tables.CPUSample{Capture: id}
		for _, row := range all[maxStacks:] {
			others.Samples += row.Samples
			others.CPU += row.CPU
		}
		all = append(all[:maxStacks:maxStacks], others)
	}
	return all, nil
}

// describe is the row of a sample, without its numbers.
func describe(s *profile.Sample) (row tables.CPUSample) {
	label := func(name string) string {
		if v := s.Label[name]; len(v) == 1 {
			return v[0]
		}
		return ""
	}
	row.Thread, row.Digest = label(labelThread), label(labelDigest)
	var stack strings.Builder
	root := ""
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function == nil {
				continue
			}
			name, source := line.Function.Name, fmt.Sprintf("%s:%d", path.Base(line.Function.Filename), line.Line)
			if row.Function == "" {
				row.Function, row.Source = name, source
			}
			if stack.Len() < maxStackText {
				fmt.Fprintf(&stack, "%s %s\n", name, source)
			}
			if name != "runtime.goexit" {
				root = name
			}
		}
	}
	row.Stack = strings.TrimSuffix(stack.String(), "\n")
	if row.Thread == "" && root != "" && !strings.HasPrefix(root, "runtime.") {
		row.Thread = "thread/go/" + root
	}
	return row
}
