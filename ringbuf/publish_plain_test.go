//go:build amd64 && !race && !pfsatomic

package ringbuf

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

//go:noinline
func publishTwice(p *uint64) {
	Publish(p, 0x11223344)
	Publish(p, 0x55667788)
}

//go:noinline
func storeBetween(p, q *uint64) {
	Publish(p, 0x11223344)
	Store(q, 0x12345678)
	Publish(p, 0x55667788)
}

// code returns the machine code of a function.
func code(f any) []byte {
	entry := reflect.ValueOf(f).Pointer()
	n := uintptr(1)
	for n < 1024 && runtime.FuncForPC(entry+n).Entry() == entry {
		n++
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&entry)), n)
}

// The compiler may drop a store that another one overwrites. The constants that Publish
// stores must be in the code, the first one before the second.
func TestPublishIsNotDropped(t *testing.T) {
	for name, f := range map[string]any{"publishTwice": publishTwice, "storeBetween": storeBetween} {
		text := code(f)
		for i, v := range []uint32{0x11223344, 0x55667788} {
			at := bytes.Index(text, binary.LittleEndian.AppendUint32(nil, v))
			if at < 0 {
				t.Fatalf("%s: store %d of %#x is not in the code\n% x", name, i, v, text)
			}
			text = text[at:]
		}
	}
	var p, q uint64
	publishTwice(&p)
	storeBetween(&q, &p)
	if p != 0x12345678 || q != 0x55667788 {
		t.Errorf("stored %#x, %#x", p, q)
	}
}
