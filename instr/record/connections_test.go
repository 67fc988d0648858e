package record

import (
	"slices"
	"testing"
)

// Connections are shown with those who have them. A row that is free, is being written or has impossible values shows nothing that is not there.
func TestConnections(t *testing.T) {
	im := filled(t)
	h := header()
	h.conns = 5
	put(im, 0, h)
	row := recConn{seq: 2, conn: 1<<16 | 1, pool: 0xc000, number: 3, opened: 1100, since: 1300, goid: 7, taken: 2, place: 2, kind: recHostPool, state: recConnBody, nameLen: 4, textLen: 3}
	copy(row.name[:], "host and more")
	copy(row.text[:], "GET and more")
	put(im, recAtConns+1*recConnSize, row)
	free, idle, wrong, torn := row, row, row, row
	free.conn, idle.goid, idle.state, wrong.kind, torn.seq = 0, 0, 0, recMutex, 3
	idle.nameLen = 65535
	put(im, recAtConns+2*recConnSize, free)
	put(im, recAtConns+3*recConnSize, idle)
	put(im, recAtConns+4*recConnSize, wrong)
	put(im, recAtConns+5*recConnSize, row) // not counted in the header
	want := []Connection{
		{Kind: HostPool, Pool: 0xc000, Name: "host", Number: 3, Opened: 200, Thread: 7, Taken: 2, Since: 600, Place: 2, Text: "GET", Body: true},
		{Kind: HostPool, Pool: 0xc000, Name: "host and more", Number: 3, Opened: 200},
	}
	if got := im.open().Connections(); !slices.Equal(got, want) {
		t.Errorf("connections %+v, want %+v", got, want)
	}
	put(im, recAtConns+1*recConnSize, torn)
	h.conns = 2
	put(im, 0, h)
	if got := im.open().Connections(); len(got) > 1 || len(got) == 1 && got[0] != want[0] {
		t.Errorf("a row that is being written: %+v", got)
	}
}
