package wire

import "testing"

func TestPadded(t *testing.T) {
	for s, want := range map[string]string{
		"1970-1-1 0:0:0.5": "1970-01-01 00:00:00.000005", "2026-11-22 1:2:3.456000": "2026-11-22 01:02:03.456000", "33-1-2": "0033-01-02", "2026-11-22 10:20:30": "2026-11-22 10:20:30",
		" ": "0000-00-00 00:00:00",
	} {
		if got := padded(s, 4); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"-1:2:3.7": "-01:02:03.000007", "838:59:59": "838:59:59", "00:00:00": "00:00:00", "100:0:0.100": "100:00:00.000100", "839:0:0": "838:59:59", "-4294967295:0:0.5": "-838:59:59.000005"} {
		if got := clipped(padded(s, 2)); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}
