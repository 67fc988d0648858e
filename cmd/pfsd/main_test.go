package main

import (
	"io"
	"testing"
)

func TestStatus(t *testing.T) {
	tests := []struct {
		arg  string
		want int
	}{
		{"--version", 0},
		{"--help", 0},
		{"--prot=3307", 2},
		{"--port=70000", 2},
		{"--bind-address=192.0.2.1", 1},
	}
	for _, test := range tests {
		if got := run([]string{test.arg}, nil, io.Discard, io.Discard); got != test.want {
			t.Errorf("%s: status %d, want %d", test.arg, got, test.want)
		}
	}
}
