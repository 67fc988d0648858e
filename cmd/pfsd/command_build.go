package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"pfsd/cmd/pfsd/weave"
)

// goCommands are the commands of go that pfsd also has, with go's arguments.
var goCommands = []string{"build", "test", "install"}

// overlay makes the overlay for the go command of a directory, "" for the current one. If programs for the target cannot
// be recorded, it prints a warning and returns a zero Overlay.
func overlay(dir string, stderr io.Writer) (weave.Overlay, error) {
	t, err := weave.Find(dir)
	if err != nil {
		return weave.Overlay{}, err
	}
	if !t.Recorded() {
		fmt.Fprintf(stderr, "pfsd: warning: programs for %s/%s are built without a recorder: there is one for linux on amd64 and arm64\n", t.GOOS, t.GOARCH)
		return weave.Overlay{}, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return weave.Overlay{}, err
	}
	return weave.Make(t, filepath.Join(cache, "pfsd", "overlays"))
}

// runGo runs a command of go with the overlay, and the user's own if there is one, and returns its exit status.
func runGo(name string, args []string, stdout, stderr io.Writer) int {
	a := splitArguments(name, args)
	o, err := overlay(a.dir, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 1
	}
	if o.File == "" {
		return wait(o.Command(append([]string{name}, args...)...), stdout, stderr)
	}
	if a.overlay == "" {
		if a.overlay, err = environmentOverlay(a.dir); err != nil {
			fmt.Fprintf(stderr, "pfsd: %v\n", err)
			return 1
		}
	}
	file := o.File
	if a.overlay != "" {
		if file, err = merged(o, a.overlay, a.dir); err != nil {
			fmt.Fprintf(stderr, "pfsd: %v\n", err)
			return 1
		}
		defer os.Remove(file)
	}
	return wait(o.Command(withOverlay(name, file, a.rest)...), stdout, stderr)
}

// wait runs a command, and returns its exit status.
func wait(cmd *exec.Cmd, stdout, stderr io.Writer) int {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 1
	}
	return 0
}

// printOverlay prints the name of the file for go build -overlay.
func printOverlay(stdout, stderr io.Writer) int {
	o, err := overlay("", stderr)
	if err != nil {
		fmt.Fprintf(stderr, "pfsd: %v\n", err)
		return 1
	}
	if o.File == "" {
		return 1
	}
	if o.Root != "" {
		fmt.Fprintf(stderr, "pfsd: this overlay is for GOROOT=%s GOTOOLCHAIN=local %s\n", o.Root, filepath.Join(o.Root, "bin", "go"))
	}
	fmt.Fprintln(stdout, o.File)
	return 0
}
