package instr_test

import (
	"fmt"

	"pfsd/instr"
)

// A store reports its operations on the rows of its tables: which index finds them, and how many
// they are.
func ExampleRegistry_NewTable() {
	r := instr.NewRegistry()
	th := r.Attach("store/reader")
	defer th.Detach()
	orders := r.NewTable("shop", "orders", "PRIMARY", "by_customer")

	h := orders.Open(th)
	defer h.Close()
	h.Use()
	h.StartLock(instr.LockReadExternal).End(0)
	byCustomer := orders.Index("by_customer")
	reading := h.StartIO(instr.TableFetch, byCustomer)
	rows := 0
	for range 70 { // one operation for all of them
		rows++
	}
	reading.End(rows)
	h.StartIO(instr.TableUpdate, byCustomer).End(1)
	h.EndUse()

	io := orders.IO(byCustomer)
	fmt.Printf("%d rows read, %d written, %d by no index\n", io.Fetch.Count, io.Write().Count, orders.IO(instr.NoIndex).All().Count)
	// Output: 70 rows read, 1 written, 0 by no index
}
