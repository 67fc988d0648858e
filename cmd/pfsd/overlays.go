package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"pfsd/cmd/pfsd/weave"
)

// valueFlags are the flags of the go command that take the next argument as their value if they have none after a =.
var valueFlags = strings.Fields(`C asmflags bench benchtime blockprofile blockprofilerate buildmode compiler count covermode coverpkg coverprofile cpu
	cpuprofile exec fuzz fuzzminimizetime fuzztime gccgoflags gcflags installsuffix ldflags list memprofile memprofilerate mod modfile mutexprofile
	mutexprofilefraction o outputdir overlay p parallel pgo pkgdir run shuffle skip tags timeout toolexec trace vet`)

// goArguments are the arguments of a go command, as far as the overlay is concerned.
type goArguments struct {
	rest    []string // without the overlay
	overlay string   // the user's own, "" if there is none
	dir     string   // that of -C, "" if there is none
}

// splitArguments finds the user's own overlay among the arguments of a command of go. Flags end at the first argument that is none, but for
// go test, which takes them anywhere before -args.
func splitArguments(command string, args []string) (a goArguments) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		flag := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if flag == arg || flag == "" || command == "test" && flag == "args" {
			if flag == arg && command == "test" {
				a.rest = append(a.rest, arg)
				continue
			}
			a.rest = append(a.rest, args[i:]...)
			break
		}
		name, value, has := strings.Cut(flag, "=")
		takes := !has && slices.Contains(valueFlags, name) && i+1 < len(args)
		if takes {
			value = args[i+1]
		}
		switch name {
		case "overlay":
			a.overlay = value
		case "C":
			a.dir = value
		}
		for j := i; j <= i || takes && j == i+1; j++ {
			if name != "overlay" {
				a.rest = append(a.rest, args[j])
			}
		}
		if takes {
			i++
		}
	}
	return a
}

// withOverlay are the arguments of the go command: -C must stay the first flag.
func withOverlay(command, file string, rest []string) []string {
	first := 0
	if len(rest) > 0 {
		switch flag := strings.TrimPrefix(strings.TrimPrefix(rest[0], "-"), "-"); {
		case flag == rest[0]:
		case flag == "C" && len(rest) > 1:
			first = 2
		case strings.HasPrefix(flag, "C="):
			first = 1
		}
	}
	return slices.Concat([]string{command}, rest[:first], []string{"-overlay=" + file}, rest[first:])
}

// environmentOverlay is the overlay in GOFLAGS, which may also stand in the go command's own file of settings.
func environmentOverlay(dir string) (file string, err error) {
	cmd := exec.Command("go", "env", "GOFLAGS")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	for _, flag := range quotedFields(string(out)) {
		if name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "="); name == "overlay" {
			file = value
		}
	}
	return file, nil
}

// quotedFields are the fields of GOFLAGS: a field that begins with a quote ends with the same.
func quotedFields(s string) (fields []string) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return fields
		}
		if q := s[0]; q == '\'' || q == '"' {
			field, rest, _ := strings.Cut(s[1:], string(q))
			fields, s = append(fields, field), rest
			continue
		}
		end := strings.IndexAny(s, " \t\r\n")
		if end < 0 {
			end = len(s)
		}
		fields, s = append(fields, s[:end]), s[end:]
	}
}

// replacements is the file of go build -overlay.
type replacements struct{ Replace map[string]string }

// readOverlay reads the file of an overlay. Relative paths in it are those from dir.
func readOverlay(file, dir string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r replacements
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	absolute := func(path string) string {
		if path == "" || filepath.IsAbs(path) { // "" says that the file is not there
			return path
		}
		return filepath.Join(dir, path)
	}
	all := map[string]string{}
	for from, to := range r.Replace {
		all[filepath.Clean(absolute(from))] = absolute(to)
	}
	return all, nil
}

// merged writes an overlay that replaces what the recorder replaces and what the user's own overlay does, and returns the name of its file,
// which the caller removes. A file that both replace cannot be in it.
func merged(o weave.Overlay, own, dir string) (file string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(own) {
		own = filepath.Join(dir, own)
	}
	users, err := readOverlay(own, dir)
	if err != nil {
		return "", fmt.Errorf("-overlay: %w", err)
	}
	all, err := readOverlay(o.File, "")
	if err != nil {
		return "", err
	}
	distribution := ""
	if o.Root != "" {
		if distribution, err = filepath.EvalSymlinks(o.Root); err != nil {
			return "", err
		}
	}
	for _, from := range slices.Sorted(maps.Keys(users)) {
		to := users[from]
		if rel, err := filepath.Rel(distribution, from); distribution != "" && err == nil && filepath.IsLocal(rel) {
			from = filepath.Join(o.Root, rel) // where the go command looks for it
		}
		if _, both := all[from]; both {
			return "", fmt.Errorf("the overlay %s replaces %s, as the recorder does: a program with both cannot be built", own, from)
		}
		all[from] = to
	}
	text, err := json.Marshal(replacements{all})
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "pfsd-overlay-*.json")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
