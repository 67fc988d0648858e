package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"sync"
	"time"

	"pfsd/instr"
)

// switching measures an UPDATE of as many instruments as the limits allow, with ten thousand
// threads.
func switching(args []string) (err error) {
	flags := flag.NewFlagSet("bench switching", flag.ExitOnError)
	rounds := flags.Int("rounds", 200, "how often all instruments are switched off and on again")
	_ = flags.Parse(args)

	r := watchAll()
	defer crowd(r)()
	c, stop, err := serve(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for i := range r.Setup().Limit(instr.LimitMutexClasses) { // more than the limit allows
		r.NewMutex("bench/mutex_" + strconv.Itoa(i))
	}
	for i := range r.Setup().Limit(instr.LimitRWMutexClasses) {
		r.NewRWMutex("bench/rwlock_" + strconv.Itoa(i))
	}
	for i := range r.Setup().Limit(instr.LimitCondClasses) {
		r.NewCond("bench/cond_"+strconv.Itoa(i), new(sync.Mutex))
	}
	for i := range r.Setup().Limit(instr.LimitFileClasses) {
		r.NewFileClass("bench/file_" + strconv.Itoa(i))
	}

	var took []time.Duration
	for range *rounds {
		for _, set := range []string{"ENABLED = 'NO', TIMED = 'NO'", "ENABLED = 'YES', TIMED = 'YES'"} {
			begin := time.Now()
			if err := run(c, "UPDATE setup_instruments SET "+set); err != nil {
				return err
			}
			took = append(took, time.Since(begin))
		}
	}
	for _, class := range r.Reader().Classes() {
		if !class.Enabled() || !class.Timed() && !class.Kind().Timeless() {
			return fmt.Errorf("%s is not on again", class.Name())
		}
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	return printRows("best tenth", []row{{
		what: fmt.Sprintf("UPDATE of %d instruments, with %d threads", len(r.Reader().Classes()), crowdSize),
		unit: "ms", budget: 10, best: ms(quantile(took, 0.1)), median: ms(quantile(took, 0.5)),
	}})
}
