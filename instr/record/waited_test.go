package record

import (
	"reflect"
	"testing"
)

// What somebody waits for is shown with who has done something to it last. A row that nobody waits for, is being written or has impossible values shows nothing that is
// not there; of several rows of a semaphore the one counts that was written last.
func TestWaited(t *testing.T) {
	im := filled(t)
	h := header()
	h.waited = 9
	put(im, 0, h)
	channel := recWaited{
		seq: 2, address: 0xc100, kind: recWaitedChannel, waiters: 3, size: 4, used: 4, count: 8,
		last: [2]recLatest{{goid: 7, ticks: 1100, place: 2, op: recDidSend}, {goid: 8, ticks: 1300, op: recDidReceive}},
	}
	cond := recWaited{seq: 2, address: 0xc200, kind: recWaitedCond, waiters: 1, count: 5, last: [2]recLatest{{goid: 7, ticks: 1100, place: 2, op: recDidBroadcast}}}
	group := recWaited{seq: 2, address: 0xc300, kind: recWaitedGroup, waiters: 1, used: 3, last: [2]recLatest{{goid: 7, op: recDids}}}
	first := recWaited{seq: 2, address: 0xc400, kind: recWaitedSemaphore, waiters: 1, size: 3, used: 1, last: [2]recLatest{{ticks: 1200}}}
	second := first
	second.used, second.last[0].ticks = 3, 1300
	idle, kind, torn := channel, channel, channel
	idle.address, idle.waiters = 0xd100, 0
	kind.address, kind.kind = 0xd200, recWaitedKinds
	torn.address, torn.seq = 0xd300, 3
	empty := recWaited{seq: 2, address: 0xc500, kind: recWaitedChannel, waiters: 1, size: 1}
	for i, row := range []recWaited{channel, cond, group, second, first, idle, kind, empty, channel} { // the last one is not counted in the header
		if i == 8 {
			row.address = 0xd400
		}
		put(im, recAtWaited+uint64(i+1)*recWaitedSize, row)
	}
	want := map[uint64]Waited{
		0xc100: {Address: 0xc100, Kind: Channel, Size: 4, Used: 4, Last: Last{DidSend, 7, 200, 2}, Received: Last{DidReceive, 8, 600, 0}},
		0xc200: {Address: 0xc200, Kind: Condition, Signals: 5, Last: Last{DidBroadcast, 7, 200, 2}},
		0xc300: {Address: 0xc300, Kind: Group, Used: 3},
		0xc400: {Address: 0xc400, Kind: Semaphore, Size: 3, Used: 3},
		0xc500: {Address: 0xc500, Kind: Channel, Size: 1, Empty: true},
	}
	if got := im.open().Waited(); !reflect.DeepEqual(got, want) {
		t.Errorf("what is waited for is\n%+v, want\n%+v", got, want)
	}
	put(im, recAtWaited+1*recWaitedSize, torn)
	h.waited = 2
	put(im, 0, h)
	if got := im.open().Waited(); len(got) > 1 {
		t.Errorf("a row that is being written: %+v", got)
	}
}
