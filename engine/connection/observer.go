package connection

import (
	"pfsd/engine/budget"
	"pfsd/engine/usertables"
	"pfsd/engine/vtable"
	"pfsd/instr"
)

var _ usertables.Observer = (*Work)(nil)

// Statement implements usertables.Observer.
func (w *Work) Statement() *usertables.Statement { return &w.Current.tables }

// NewHold implements usertables.Observer.
func (w *Work) NewHold() *budget.Hold { return w.account.NewHold(nil) }

// Writes implements usertables.Observer.
func (w *Work) Writes(t usertables.StoredTable, op instr.TableOp) instr.TableWait {
	w.countRequests(handlerCalls[op], 1)
	w.trx.Wrote()
	w.opened.EndFetch()
	if u := w.opened.Written(t, w.Current.used); u != nil {
		return u.StartWrite(op)
	}
	return instr.TableWait{}
}

// handlerCalls are the counters Handler_* of what writes rows.
var handlerCalls = [...]int{
	instr.TableInsert: vtable.HandlerWrite, instr.TableUpdate: vtable.HandlerUpdate, instr.TableDelete: vtable.HandlerDelete,
}
