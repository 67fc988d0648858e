package instr

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// walker adds up the memory that a value refers to, by reflection: records and lists, with their
// spare places, once, however many references there are; maps as their keys and values; texts at
// each reference. It does not use what the registry itself counts.
type walker struct {
	seen    map[seen]bool
	memory  [][2]uintptr // from and to
	besides int          // texts and maps
}

type seen struct {
	at unsafe.Pointer
	of reflect.Type
}

// fixedTexts are the fields whose texts are of a fixed set.
var fixedTexts = map[string]bool{"SQLState": true, "sqlState": true, "Isolation": true, "objectType": true}

// ofRecords are the types that records of events refer to, which count at each reference.
var ofRecords = map[reflect.Type]bool{reflect.TypeFor[[3]string](): true, reflect.TypeFor[[StatementCounterCount]uint64](): true}

// isAtomicPointer reports whether a type is atomic.Pointer[E], and what E is.
func isAtomicPointer(t reflect.Type) (elem reflect.Type, ok bool) {
	if t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer[") {
		return t.Field(0).Type.Elem().Elem(), true
	}
	return nil, false
}

// total is how many bytes were found.
func (w *walker) total() int {
	slices.SortFunc(w.memory, func(a, b [2]uintptr) int { return cmp.Compare(a[0], b[0]) })
	sum, end := uintptr(0), uintptr(0)
	for _, m := range w.memory {
		if m[1] > end {
			sum += m[1] - max(m[0], end)
			end = m[1]
		}
	}
	return int(sum) + w.besides
}

func (w *walker) take(p unsafe.Pointer, bytes uintptr) {
	w.memory = append(w.memory, [2]uintptr{uintptr(p), uintptr(p) + bytes})
}

// pointee walks what a pointer of a type points to, once.
func (w *walker) pointee(p unsafe.Pointer, t reflect.Type) {
	v := reflect.NewAt(t, p)
	switch {
	case p == nil || w.seen[seen{p, t}]:
	case ofRecords[t]:
		w.besides += int(t.Size())
		w.walk(v.Elem())
	default:
		w.take(p, t.Size())
		w.walk(v.Elem())
		w.seen[seen{p, t}] = true
	}
}

// walk adds what v refers to; v itself has been added.
func (w *walker) walk(v reflect.Value) {
	t := v.Type()
	switch {
	case strings.HasPrefix(t.String(), "weak."), t == reflect.TypeFor[time.Time]():
		return
	case t == reflect.TypeFor[sync.Map]():
		v.Addr().Interface().(*sync.Map).Range(func(key, value any) bool {
			for _, v := range []reflect.Value{reflect.ValueOf(key), reflect.ValueOf(value)} {
				w.besides += int(v.Type().Size())
				w.walk(v)
			}
			return true
		})
		return
	}
	if elem, ok := isAtomicPointer(t); ok {
		w.pointee(v.FieldByName("v").UnsafePointer(), elem)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		w.pointee(v.UnsafePointer(), t.Elem())
	case reflect.Struct:
		if v.CanAddr() {
			at := seen{v.Addr().UnsafePointer(), t}
			if w.seen[at] {
				return
			}
			w.seen[at] = true
		}
		for i := range v.NumField() {
			f := v.Field(i)
			if v.CanAddr() { // what is not exported can be read, too
				f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
			}
			if !fixedTexts[t.Field(i).Name] {
				w.walk(f)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Slice:
		at := seen{v.UnsafePointer(), t}
		if v.Cap() == 0 || w.seen[at] {
			return
		}
		w.seen[at] = true
		w.take(v.UnsafePointer(), uintptr(v.Cap())*t.Elem().Size())
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.String:
		w.besides += v.Len()
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			w.besides += int(t.Key().Size() + t.Elem().Size())
			w.walk(it.Key())
			w.walk(it.Value())
		}
	case reflect.Interface:
		if !v.IsNil() {
			w.walk(v.Elem())
		}
	}
}

// used is a registry in which something of each kind has been recorded.
func used(t *testing.T) *Registry {
	r := NewRegistry()
	r.Setup().AddPattern("%", PatternOn)
	for c := range ConsumerCount {
		r.Setup().SetConsumer(c, true)
	}
	r.Setup().SetServerErrors([]ServerError{{1064, "ER_PARSE_ERROR", "42000"}, {1146, "ER_NO_SUCH_TABLE", "42S02"}})
	dir := t.TempDir()
	files := r.NewFileClass("test/data")
	mutexes := make([]*Mutex, 40)
	for i := range mutexes {
		mutexes[i] = r.NewMutex(fmt.Sprint("test/mutex", i%20))
	}
	locks := []*RWMutex{r.NewRWMutex("test/a"), r.NewRWMutex("test/b")}
	cond := r.NewCond("test/cond", mutexes[0])
	t.Cleanup(func() { _, _, _ = mutexes[0].TryLock(), locks[0].TryLock(), cond.L })
	if err := r.Setup().AddActor(SetupActor{"host", "user", "%", true, true}); err != nil {
		t.Fatal(err)
	}
	r.NewMeter("test.meter", "a meter").NewMetric(MetricGauge, "test", "By", "a metric", func() int64 { return 1 })
	end := make(chan struct{})
	var started, ended sync.WaitGroup
	t.Cleanup(func() { close(end); ended.Wait() })
	for i := range 40 {
		started.Add(1)
		ended.Add(1)
		go func() {
			defer ended.Done()
			if i%2 != 0 {
				defer started.Done()
			}
			th := r.AttachConnection("test/connection", uint64(i)+1)
			defer th.Detach()
			th.SetAccount(fmt.Sprint("user", i%3), fmt.Sprint("host", i%5))
			th.SetConnectAttrs([]ConnectAttr{{"a", "value"}, {"b", "value"}})
			th.SetUserVariable("Name", "value")
			for n := range 40 {
				mutexes[(n+i)%40].Lock()
				mutexes[(n+i)%40].Unlock()
				locks[n%2].RLock()
				locks[n%2].RUnlock()
				th.StartTransaction(TransactionOptions{})
				s := th.StartStatement(r.NewStatementClass(fmt.Sprint("test/statement", n%7)))
				sql := fmt.Sprintf("SELECT %s%d FROM t", strings.Repeat("a", n%8+1), i%5) // few: none must be thrown out of the cache
				s.Identify(nil, "test", sql, r.DigestOf(sql))
				for c := range StatementCounter(n % 20) {
					s.Add(c, 1)
				}
				th.Prepare(PreparedOptions{StatementID: 1, Name: "p", SQLText: sql})
				th.StartStage(r.NewStageClass(fmt.Sprint("test/stage", n%7), false))
				th.RaiseError(1146, false)
				r.NewMemoryClass(fmt.Sprint("test/memory", n)).Alloc(n)
				r.NewMemoryClass("test/global", GlobalStatistics).Alloc(n)
				r.NewStatusVariable(fmt.Sprint("Test", n)).AddTo(th, 1)
				table := r.NewTable("test", fmt.Sprint("t", n%3), "PRIMARY", "by_name")
				h := table.Open(th)
				h.StartLock(LockReadExternal).End(0)
				h.StartIO(TableFetch, n%2).End(n)
				if n%8 != 0 || i%2 != 0 {
					h.Close()
				}
				if n == 30 && i == 20 {
					table.Drop()
				}
				run := th.StartProgram(r.NewProgram(ObjectProcedure, "test", fmt.Sprint("p", n%3)))
				inner := th.StartStatement(r.NewStatementClass("test/inner"))
				inner.SetObject("PROCEDURE", "test", "p")
				inner.SetDiagnostics(1146, "42S02", "no table")
				inner.End()
				run.End()
				s.End()
				th.EndTransaction(true)
			}
			if i%4 == 0 {
				f, err := files.Create(filepath.Join(dir, fmt.Sprint(i)))
				if err == nil {
					_, err = f.WriteString("text")
				}
				if err != nil {
					t.Error(err)
				}
				defer f.Close()
			}
			if i%2 == 0 {
				started.Done()
				<-end
			}
		}()
	}
	started.Wait()
	_ = os.Remove(filepath.Join(dir, "8"))
	return r
}

// Every byte that a registry refers to is in one of its buffers, and the buffers have nothing else:
// code that adds something to the registry must count its memory.
func TestBuffersAreAllMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // what is collected goes between two readings
	r := used(t)
	for _, change := range []struct {
		name string
		do   func()
	}{
		{"used", func() {}},
		{"truncated", func() {
			r.Reader().TruncateStatementsHistoryLong()
			r.Reader().TruncateDigests()
			r.Reader().TruncateActors(LevelHost)
			r.Setup().ClearActors()
			r.Setup().ClearObjects()
			r.Reader().ResetGlobalStatementHistogram()
		}},
		{"other sizes", func() {
			for f := range familyErrors {
				r.Setup().SetHistoryLongSize(f, 100)
				r.Setup().SetHistorySize(f, 3)
			}
			for i := range 60 {
				th := r.Attach("test/other")
				s := th.StartStatement(r.NewStatementClass("test/statement"))
				s.SetText(fmt.Sprint("SELECT ", i))
				s.End()
				th.Detach()
			}
		}},
	} {
		change.do()
		r.Reader().MeasureMemory()
		w := &walker{seen: map[seen]bool{}}
		sum := 0
		for _, b := range r.Reader().Buffers() {
			sum += b.Bytes
			if b.Bytes < b.RowSize*b.Rows {
				t.Errorf("%s, %s: %d rows of %d bytes take %d bytes", change.name, b.Name, b.Rows, b.RowSize, b.Bytes)
			}
		}
		w.pointee(unsafe.Pointer(r), reflect.TypeFor[Registry]())
		if got := w.total(); sum != got {
			t.Errorf("%s: the buffers have %d bytes, the registry leads to %d", change.name, sum, got)
		}
	}
}
