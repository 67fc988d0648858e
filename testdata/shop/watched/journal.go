package main

import (
	"os"

	"pfsd/instr"
)

// journal has a line for each order. Safe for concurrent use.
type journal struct {
	mu   instr.Mutex
	file *instr.File // written under mu
}

func openJournal(name string) (*journal, error) {
	f, err := files.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &journal{file: f}, nil
}

// append adds a line, which is on the disk when it returns.
func (j *journal) append(line string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.WriteString(line + "\n"); err != nil {
		return err
	}
	return j.file.Sync()
}
