package instr_test

import (
	"fmt"

	"pfsd/instr"
)

// A cache reports the memory of its blocks. One thread allocates a block and another one may free
// it, so they only count globally.
func ExampleMemoryClass() {
	r := instr.NewRegistry()
	blocks := r.NewMemoryClass("cache/blocks", instr.GlobalStatistics)

	blocks.Alloc(4096)
	blocks.Alloc(4096)
	blocks.Free(4096)

	s := blocks.Class().SharedMemory()
	fmt.Println(s.Count(), s.Bytes(), s.HighBytes())
	// Output: 1 4096 8192
}

// What a thread allocates for itself counts for it, and for its account.
func ExampleThread_Alloc() {
	r := instr.NewRegistry()
	sort := r.NewMemoryClass("query/sort_buffer")
	t := r.AttachConnection("api/connection", 17)
	defer t.Detach()
	t.SetAccount("ann", "db1")

	t.Alloc(sort, 1<<20)
	t.Free(sort, 1<<20)

	for _, w := range r.Reader().ActorWork(instr.LevelAccount, instr.ActorFilter{}, instr.WorkMemory) {
		if s := w.Memory(sort.Class()); w.User != "" {
			fmt.Println(w.User, w.Host, s.Bytes(), s.HighBytes())
		}
	}
	// Output: ann db1 0 1048576
}
