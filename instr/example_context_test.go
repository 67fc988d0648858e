package instr_test

import (
	"context"
	"fmt"

	"pfsd/instr"
)

// A context carries the thread of a request to code that runs in another goroutine, which may read what the thread does.
func ExampleWithThread() {
	r := instr.NewRegistry()
	t := r.AttachConnection("web/request", 7)
	defer t.Detach()
	t.SetState("resizing")
	ctx := instr.WithThread(context.Background(), t)

	done := make(chan string)
	go func() { done <- instr.ThreadOf(ctx).State() }()
	fmt.Println(<-done)
	// Output: resizing
}

// A channel of package instr is used like any other; its instance tells how full it is.
func ExampleChan() {
	r := instr.NewRegistry()
	r.Setup().AddPattern("wait/synch/chan/%", instr.PatternOn)
	jobs := instr.NewChanIn[string](r, "queue/jobs", 10) // wait/synch/chan/queue/jobs; NewChan is of the default registry

	jobs.Send("resize")
	jobs.Send("send mail")
	used, size, _ := jobs.Instance().Room()
	fmt.Println(used, "of", size)
	jobs.Close()
	for job := range jobs.All() {
		fmt.Println(job)
	}
	fmt.Println(r.Reader().ClassByName("wait/synch/chan/queue/jobs").Waits().Count, "operations")
	// Output:
	// 2 of 10
	// resize
	// send mail
	// 5 operations
}

// A group runs goroutines that are threads of its name, and returns their first error.
func ExampleGroup() {
	g := instr.NewGroup("worker/fetch") // thread/worker/fetch
	g.SetLimit(2)
	for _, name := range []string{"a", "b", "c"} {
		g.Go(func() error {
			if name == "b" {
				return fmt.Errorf("%s is missing", name)
			}
			return nil
		})
	}
	fmt.Println(g.Wait())
	// Output: b is missing
}
