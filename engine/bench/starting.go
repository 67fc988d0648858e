package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"pfsd/instr"
)

// starting measures a program that has a server inside: how long the program's packages take to
// initialize, how long the server takes to listen, and how much processor time it uses while nobody
// connects.
func starting(args []string) error {
	flags := flag.NewFlagSet("bench starting", flag.ExitOnError)
	runs := flags.Int("runs", 20, "how many programs are started")
	idle := flags.Duration("idle", 5*time.Second, "how long one of them is left alone")
	child := flags.Bool("serve", false, "be the program; for the program's own use")
	_ = flags.Parse(args)
	if *child {
		return serveNobody()
	}
	var packages, listening []float64
	for range *runs {
		s, err := startAndStop(0)
		if err != nil {
			return err
		}
		packages, listening = append(packages, s.packages), append(listening, s.listening)
	}
	s, err := startAndStop(*idle)
	if err != nil {
		return err
	}
	return printRows("best", []row{
		{what: "from exec to main, all packages", unit: "ms", budget: noBudget, best: slices.Min(packages), median: quantile(packages, 0.5)},
		{what: "from main until the endpoint listens", unit: "ms", budget: 50, best: slices.Min(listening), median: quantile(listening, 0.5)},
		{what: "processor time while nobody connects, of a second", unit: "ms", budget: noBudget, best: s.idle, median: s.idle},
	})
}

// start has the times that a program took, in milliseconds. idle is the processor time used in a
// second.
type start struct{ packages, listening, idle float64 }

// startAndStop starts the program, does nothing for a while, and stops it.
func startAndStop(alone time.Duration) (s start, err error) {
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	program := exec.Command(self, "starting", "-serve")
	program.Stderr = os.Stderr
	ask, err := program.StdinPipe()
	if err != nil {
		return s, err
	}
	out, err := program.StdoutPipe()
	if err != nil {
		return s, err
	}
	begin := time.Now()
	if err := program.Start(); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, ask.Close(), program.Wait()) }()
	answers := bufio.NewReader(out)
	if _, err = answers.ReadString('\n'); err != nil {
		return s, err
	}
	s.packages = milliseconds(time.Since(begin))
	begin = time.Now()
	if _, err = answers.ReadString('\n'); err != nil {
		return s, err
	}
	s.listening = milliseconds(time.Since(begin))
	if alone == 0 {
		return s, nil
	}
	used := func() (t time.Duration, err error) {
		if _, err = fmt.Fprintln(ask); err == nil {
			_, err = fmt.Fscanln(answers, &t)
		}
		return t, err
	}
	before, err := used()
	if err != nil {
		return s, err
	}
	time.Sleep(alone)
	after, err := used()
	s.idle = milliseconds(after-before) / alone.Seconds()
	return s, err
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// serveNobody is the program. It prints a line when main begins and one when the server listens.
// Then it reads lines until its input ends, and prints for each line the processor time that it has
// used, in nanoseconds.
func serveNobody() (err error) {
	fmt.Println("main")
	_, stop, err := listen(instr.NewRegistry())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	fmt.Println("listens")
	for lines := bufio.NewReader(os.Stdin); ; {
		if _, err := lines.ReadString('\n'); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		fmt.Println(processorTime().Nanoseconds())
	}
}
