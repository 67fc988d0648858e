package instr_test

import (
	"fmt"

	"pfsd/instr"
)

// A program that keeps a catalog of its own shows who has which entry locked.
func ExampleMetadataLock() {
	reg := instr.NewRegistry()
	locks := reg.NewMetadataLockClass("store/catalog") // wait/lock/metadata/store/catalog
	l := locks.NewLock(nil)                            // to be used again and again
	defer l.Close()

	l.Request(&instr.MetadataObject{Type: "TABLE", Schema: "shop", Name: "orders"}, instr.SharedRead, instr.TransactionDuration)
	wait := l.Wait() // if somebody else has it
	wait.End()
	l.SetStatus(instr.MetadataGranted)
	for _, row := range reg.Reader().MetadataLocks() {
		fmt.Println(row.Object.Type, row.Object.Schema, row.Object.Name, row.Type, row.Duration, row.Status)
	}
	l.Release()
	fmt.Println(len(reg.Reader().MetadataLocks()), locks.Class().Waits().Count)
	// Output:
	// TABLE shop orders SHARED_READ TRANSACTION GRANTED
	// 0 1
}
