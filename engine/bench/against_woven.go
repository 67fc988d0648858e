package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// wovenProgram is the text of the program whose operations are compared.
const wovenProgram = "cmd/pfsd/weave/bench/testdata/program.go.txt"

// wovenStart is the operation that is the whole program.
const wovenStart = "start"

// weave builds the program with the side's recorder in it.
func (s *side) weave() error {
	if _, err := os.Stat(s.file("woven")); err == nil {
		return nil
	}
	text, err := os.ReadFile(wovenProgram)
	if err != nil {
		return err
	}
	dir := s.file("program")
	err = errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "main.go"), text, 0o600),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module program\n\ngo 1.25\n"), 0o600))
	if err != nil {
		return err
	}
	cmd := exec.Command(s.file("pfsd"), "build", "-o", s.file("woven"), ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// wovenCosts are what operations of the program take, with and without a recording.
func wovenCosts() (all []cost) {
	for _, recording := range []bool{false, true} {
		kind := "woven, not recording: "
		if recording {
			kind = "woven, recording: "
		}
		for _, operation := range []string{"Mutex", "RWMutex", "RWMutex, reading", "contended map", "channel", "pread", "TCP echo", "HTTP", wovenStart} {
			all = append(all, cost{name: kind + operation, unit: "ns", slice: func(s *side) (map[string]float64, error) {
				return s.runWoven(operation, recording)
			}})
		}
	}
	return all
}

// runWoven runs an operation of the program for a while, and returns what one takes.
func (s *side) runWoven(operation string, recording bool) (figures map[string]float64, err error) {
	cmd := exec.Command(s.file("woven"), operation, "50ms", "none")
	cmd.Env = append(os.Environ(), "PFSD_RECORD=")
	if recording {
		dir := s.file("recordings")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		cmd.Env = append(cmd.Env, "PFSD_RECORD="+dir)
	}
	if operation == wovenStart {
		return spent(cmd)
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	took, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return map[string]float64{"": took}, err
}
