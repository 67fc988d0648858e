//go:build amd64 || arm64

package instr

import "unsafe"

// HasThreadLookup reports whether this platform finds the current thread by itself. Where it
// does not, only the methods that take a *Thread record events of threads.
const HasThreadLookup = true

func goroutineAddress() uintptr
func callerPCAddress() uintptr
func peekAddress() uintptr
func rootAddress() uintptr
func callersAddress() uintptr

// A func value is a pointer to a word that holds the address of the code.
var (
	goroutineValue = &struct{ pc uintptr }{goroutineAddress()}
	callerPCValue  = &struct{ pc uintptr }{callerPCAddress()}
	peekValue      = &struct{ pc uintptr }{peekAddress()}
	rootValue      = &struct{ pc uintptr }{rootAddress()}
	callersValue   = &struct{ pc uintptr }{callersAddress()}
)

// goroutine returns the address of the current goroutine's descriptor and the word at
// offset in it, its id; 0 for offset 0.
var goroutine = *(*func(offset uintptr) (gp, goid uint64))(unsafe.Pointer(&goroutineValue))

// callerPC returns the return address into the function that called the function that
// calls callerPC, which must be noinline. It follows the frame pointer: two loads.
var callerPC = *(*func() uintptr)(unsafe.Pointer(&callerPCValue))

// peek reads a word of a goroutine's descriptor. Descriptors are never freed.
var peek = *(*func(address uintptr) uint64)(unsafe.Pointer(&peekValue))

// root returns the outermost return address of the goroutine, which is in its start function or in
// the wrapper of that, and the next one.
var root = *(*func() (last, before uintptr))(unsafe.Pointer(&rootValue))

// callers stores the return addresses of the functions that are running, beginning with the caller's own, n at most, and returns
// how many they are. It follows the frame pointers, which takes less time than runtime.Callers, and stops where C has called Go.
var callers = *(*func(to *uintptr, n int) int)(unsafe.Pointer(&callersValue))

// goidOffset is where a goroutine's descriptor keeps its id. It is 0 if the place was not found:
// then a thread is only known by the address of the descriptor.
var goidOffset = findGoidOffset()

// findGoidOffset compares what runtime.Stack prints with the words of the descriptors of
// several goroutines.
func findGoidOffset() uintptr {
	const (
		goroutines = 8
		lastOffset = 320
	)
	found := make(chan map[uintptr]bool)
	for range goroutines {
		go func() {
			id, at := stackGoid(), map[uintptr]bool{}
			for offset := uintptr(8); offset <= lastOffset; offset += 8 {
				if _, word := goroutine(offset); word == id {
					at[offset] = true
				}
			}
			found <- at
		}()
	}
	common := <-found
	for range goroutines - 1 {
		at := <-found
		for offset := range common {
			if !at[offset] {
				delete(common, offset)
			}
		}
	}
	if len(common) != 1 {
		return 0
	}
	for offset := range common {
		return offset
	}
	return 0
}
