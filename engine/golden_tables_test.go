package engine

import (
	"errors"
	"strconv"
	"strings"

	"pfsd/instr"
)

// worldTable is what a thread has open.
type worldTable struct {
	thread *instr.Thread
	name   string
}

var tableOps = map[string]instr.TableOp{"fetch": instr.TableFetch, "insert": instr.TableInsert, "update": instr.TableUpdate, "erase": instr.TableDelete}

// table is what a thread does with tables of a store that is not the server's, and false if verb
// is something else: table SCHEMA.NAME [INDEX ...] makes one and temporary another; opentable
// opens it, fetch, insert, update and erase SCHEMA.NAME [INDEX] ROWS do something with its rows,
// and locktable SCHEMA.NAME KIND locks it; resttable says that the thread is done with it for
// now, closetable that it is for good, and droptable that the table is no more.
func (w *world) table(verb, name, arg string) (known bool, err error) {
	schema, table, _ := strings.Cut(name, ".")
	key := worldTable{instr.Current(), name}
	switch words := strings.Fields(arg); verb {
	case "table":
		w.tables[name] = w.reg.NewTable(schema, table, words...)
	case "temporary":
		w.tables[name] = w.reg.NewTemporaryTable(schema, table, words...)
	case "opentable":
		w.handles[key] = w.tables[name].Open(key.thread)
		w.handles[key].Use()
	case "fetch", "insert", "update", "erase":
		index := instr.NoIndex
		if len(words) == 2 {
			index = w.tables[name].Index(words[0])
		}
		rows, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			return true, err
		}
		w.handles[key].StartIO(tableOps[verb], index).End(rows)
	case "locktable":
		kind := instr.TableLock(0)
		for kind.String() != arg {
			if kind++; kind == instr.TableLockCount {
				return true, errors.New("unknown lock")
			}
		}
		w.handles[key].StartLock(kind).End(0)
	case "resttable":
		w.handles[key].EndUse()
	case "closetable":
		w.handles[key].Close()
	case "droptable":
		w.tables[name].Drop()
	default:
		return false, nil
	}
	return true, nil
}
