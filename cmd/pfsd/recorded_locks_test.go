package main

import (
	"slices"
	"strings"
	"testing"

	"pfsd/instr"
	"pfsd/instr/record"
	"pfsd/tables"
	"pfsd/tables/recorded"
)

// namedRows returns rows of a table, in which the numbers of threads, in the first so many columns, are replaced by the names of their functions.
func namedRows(t *testing.T, m tables.Model, table string, numbers int, columns ...string) (list []string) {
	t.Helper()
	names := map[string]string{}
	for _, row := range rows(t, m, "threads", "THREAD_ID", "NAME") {
		id, name, _ := strings.Cut(row, " ")
		if names[id] = strings.TrimPrefix(name, "thread/go/main."); strings.Contains(name, "WaitGroup") {
			names[id] = "member"
		}
	}
	for _, row := range rows(t, m, table, columns...) {
		f := strings.Fields(row)
		for i := range numbers {
			if name := names[f[i]]; name != "" {
				f[i] = name
			}
		}
		list = append(list, strings.Join(f, " "))
	}
	slices.Sort(list)
	return list
}

// Goroutines that wait for themselves and for each other are deadlocks, and who holds a lock is never a guess: a writer that waits for readers holds
// nothing, and readers are known while holds are recorded, as they are from the start if the environment says so.
func TestRecordedDeadlocks(t *testing.T) {
	program := wovenOf(t, "stuck")
	for _, holds := range []bool{false, true} {
		dir, env := t.TempDir(), "PFSD_RECORD_HOLDS=0"
		if holds {
			env = "PFSD_RECORD_HOLDS=1"
		}
		cmd := stuck(t, program, dir, "locks", env)
		rec, err := record.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Close()
		waits := []string{
			"downgrade downgrade SHARED EXCLUSIVE GRANTED YES",
			"once once EXCLUSIVE EXCLUSIVE GRANTED YES",
			"reader writer SHARED EXCLUSIVE PENDING YES",
			"second writer EXCLUSIVE EXCLUSIVE PENDING YES",
			"twice twice EXCLUSIVE EXCLUSIVE GRANTED YES",
		}
		cycles := []string{"downgrade downgrade YES", "once once YES", "twice twice YES"}
		if goVersion := rec.Info().GoVersion; !strings.HasPrefix(goVersion, "go1.24") {
			waits = append(waits, "member parent EXCLUSIVE EXCLUSIVE GRANTED YES")
			cycles = append(cycles, "member member YES", "parent member YES", "member parent YES")
		}
		if holds {
			waits = append(waits, "upgrade upgrade EXCLUSIVE SHARED GRANTED YES", "writer reader EXCLUSIVE SHARED GRANTED YES")
			cycles = append(cycles, "upgrade upgrade YES", "reader writer YES", "writer reader YES")
		} else {
			waits = append(waits, "upgrade NULL EXCLUSIVE SHARED NULL NULL", "writer NULL EXCLUSIVE SHARED NULL NULL")
		}
		slices.Sort(waits)
		slices.Sort(cycles)
		lockWaits := func(m tables.Model) []string {
			return namedRows(t, m, "lock_waits", 2, "REQUESTING_THREAD_ID", "BLOCKING_THREAD_ID", "LOCK_MODE", "BLOCKING_LOCK_MODE", "BLOCKING_LOCK_STATUS", "CERTAIN")
		}
		counts := []string{"0 held", "1 NULL", "1 NULL"}
		readers := func(m tables.Model) []string {
			all := rows(t, m, "rwlock_instances", "READ_LOCKED_BY_COUNT", "WRITE_LOCKED_BY_THREAD_ID")
			for i := range all {
				if count, writer, _ := strings.Cut(all[i], " "); writer != "NULL" {
					all[i] = count + " held"
				}
			}
			slices.Sort(all)
			return all
		}
		check := func(m tables.Model) {
			t.Helper()
			if got := lockWaits(m); !slices.Equal(got, waits) {
				t.Errorf("holds %v: waits for locks\n%s\nwant\n%s", holds, strings.Join(got, "\n"), strings.Join(waits, "\n"))
			}
			if got := namedRows(t, m, "deadlocks", 2, "REQUESTING_THREAD_ID", "BLOCKING_THREAD_ID", "CERTAIN"); !slices.Equal(got, cycles) {
				t.Errorf("holds %v: deadlocks\n%s\nwant\n%s", holds, strings.Join(got, "\n"), strings.Join(cycles, "\n"))
			}
			if got := readers(m); !slices.Equal(got, counts) {
				t.Errorf("holds %v: readers %q, want %q", holds, got, counts)
			}
		}
		model := recorded.New(rec, tables.Of(instr.NewRegistry()))
		until(t, "all wait, and a reader has left", func() bool { return len(lockWaits(model)) == len(waits) && slices.Equal(readers(model), counts) })
		check(model)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		check(recorded.New(rec, tables.Of(instr.NewRegistry())))
	}
}

// A goroutine that has ended without unlocking a mutex still holds it, and none of those that have begun since.
func TestRecordedHolderHasEnded(t *testing.T) {
	program, dir := wovenOf(t, "stuck"), t.TempDir()
	cmd := stuck(t, program, dir, "leaves", "PFSD_RECORD_HOLDS=1")
	_, model := recordingIn(t, dir)
	until(t, "it waits", func() bool { return len(model.LockWaits()) == 1 })
	check := func() {
		t.Helper()
		got := namedRows(t, model, "lock_waits", 2, "REQUESTING_THREAD_ID", "BLOCKING_THREAD_ID", "BLOCKING_THREAD_NAME", "BLOCKING_LOCK_STATUS")
		if len(got) != 1 || !strings.HasPrefix(got[0], "wantLeft ") || !strings.HasSuffix(got[0], " NULL GRANTED") {
			t.Errorf("waits for locks %q, not for a goroutine that has ended", got)
		}
	}
	check()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	check()
}
