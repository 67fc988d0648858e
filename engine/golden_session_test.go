package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pfsd/instr"
)

// counters are the words for what statements count, in the order of the counters.
var counters = strings.Fields(`lock_time errors warnings rows_affected rows_sent rows_examined created_tmp_disk_tables created_tmp_tables
	select_full_join select_full_range_join select_range select_range_check select_scan sort_merge_passes sort_range sort_rows sort_scan
	no_index_used no_good_index_used cpu_time max_controlled_memory max_total_memory count_secondary`)

// session is an operation of a thread that does more than wait:
//
//	execute NAME [TEXT]     begins a statement of the class test/NAME
//	refine NAME             makes it one of another class
//	schema NAME             says what its default database is
//	program TYPE NAME       says which stored program of the database db it is part of
//	count COUNTER N         adds to one of its counters
//	fail NUMBER MESSAGE     says that it ends with an error, whose SQLSTATE is 42000
//	finish                  ends it
//	stage NAME              begins a stage of the class test/NAME; one of load tells how far it is
//	work DONE ALL           says how much of its work is done, and how much there is
//	unstage                 ends it
//	begin [MODE [LEVEL]]    begins a transaction: readonly, readwrite or autocommit
//	savepoint, rollbackto, forget, commit, rollback
//	raise NUMBER [handled]  raises an error
//	run TYPE SCHEMA.NAME [N]  runs a stored program, which runs N statements
//	drop TYPE SCHEMA.NAME   drops a stored program
//	prepare NAME TEXT       says that the statement prepares another one
//	perform NAME            says that it executes that, reprepare NAME that the server prepares it anew
//	deallocate NAME         ends that
//	set NAME [VALUE]        sets a user variable
//	client NAME=VALUE ...   says what the client says of itself
//
// The statement is the one that the thread has begun last.
func (w *world) session(verb, name, arg string) error {
	th := instr.Current()
	stack := w.statements[th]
	n, _ := strconv.Atoi(arg)
	if slices.Contains([]string{"refine", "schema", "program", "count", "fail", "finish"}, verb) && len(stack) == 0 {
		return fmt.Errorf("no statement")
	}
	switch verb {
	case "execute":
		s := th.StartStatement(w.reg.NewStatementClass("test/" + name))
		if arg != "" {
			s.SetText(arg)
			s.SetDigest(w.reg.DigestOf(arg))
		}
		w.statements[th] = append(stack, &s)
	case "refine":
		stack[len(stack)-1].Refine(w.reg.NewStatementClass("test/" + name))
	case "schema":
		stack[len(stack)-1].SetSchema(name)
	case "program":
		stack[len(stack)-1].SetObject(name, "db", arg)
	case "count":
		i := slices.Index(counters, name)
		if i < 0 {
			return fmt.Errorf("unknown counter")
		}
		stack[len(stack)-1].Add(instr.StatementCounter(i), uint64(n))
	case "fail":
		number, _ := strconv.Atoi(name)
		stack[len(stack)-1].SetDiagnostics(number, "42000", arg)
	case "finish":
		stack[len(stack)-1].End()
		w.statements[th] = stack[:len(stack)-1]
	case "stage":
		th.StartStage(w.reg.NewStageClass("test/"+strings.TrimSpace(name+" "+arg), name == "load"))
	case "work":
		done, _ := strconv.Atoi(name)
		th.SetWorkCompleted(uint64(done))
		th.SetWorkEstimated(uint64(n))
	case "unstage":
		th.EndStage()
	case "begin":
		th.StartTransaction(instr.TransactionOptions{ReadOnly: name == "readonly", Autocommit: name == "autocommit", Isolation: arg})
	case "commit", "rollback":
		th.EndTransaction(verb == "commit")
	case "savepoint":
		th.Savepoint()
	case "rollbackto":
		th.RollbackToSavepoint()
	case "forget":
		th.ReleaseSavepoint()
	case "prepare":
		w.prepared[name] = th.Prepare(instr.PreparedOptions{StatementID: uint64(len(w.prepared) + 1), Name: name, SQLText: arg})
	case "perform":
		th.Execute(w.prepared[name])
	case "reprepare":
		w.prepared[name].Reprepare()
	case "deallocate":
		w.prepared[name].Drop()
	case "set":
		th.SetUserVariable(name, arg)
	case "client":
		var attrs []instr.ConnectAttr
		for _, pair := range append([]string{name}, strings.Fields(arg)...) {
			n, v, _ := strings.Cut(pair, "=")
			attrs = append(attrs, instr.ConnectAttr{Name: n, Value: v})
		}
		th.SetConnectAttrs(attrs)
	case "raise":
		number, _ := strconv.Atoi(name)
		th.RaiseError(number, arg == "handled")
	case "run", "drop":
		w.program(verb, name, arg)
	default:
		return fmt.Errorf("unknown operation")
	}
	return nil
}

// program runs or drops a stored program of a type. what is its name, and how many statements
// it runs, each of which sends 2 rows.
func (w *world) program(verb, kind, what string) {
	name, count, _ := strings.Cut(what, " ")
	schema, name, _ := strings.Cut(name, ".")
	types := []string{"EVENT", "FUNCTION", "PROCEDURE", "TABLE", "TRIGGER"}
	t := instr.ObjectType(slices.Index(types, kind))
	if verb == "drop" {
		w.reg.DropProgram(t, schema, name)
		return
	}
	th, p := instr.Current(), w.reg.NewProgram(t, schema, name)
	run := th.StartProgram(p)
	defer run.End()
	n, _ := strconv.Atoi(count)
	for range n {
		s := th.StartStatement(w.reg.NewStatementClass("test/stmt"))
		s.SetProgram(p)
		s.Add(instr.RowsSent, 2)
		s.End()
	}
}
