package instr

type files struct{}
