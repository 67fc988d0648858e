//go:build !race

package instr

const raceEnabled = false
