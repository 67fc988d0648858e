package engine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// joinShapes are ways to join n tables of integers that yield one row.
var joinShapes = map[string]func(n int) string{
	"equalities": func(n int) string {
		var b strings.Builder
		b.WriteString("SELECT t0.a FROM one t0")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, " JOIN one t%d ON t%d.a = t%d.a", i, i, i-1)
		}
		return b.String()
	},
	"inequalities": func(n int) string {
		var b strings.Builder
		b.WriteString("SELECT t0.a FROM one t0")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, " JOIN one t%d ON t%d.a >= t%d.a", i, i, i-1)
		}
		return b.String()
	},
	"commas": func(n int) string {
		var b, where strings.Builder
		b.WriteString("SELECT t0.a FROM one t0")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, ", one t%d", i)
			fmt.Fprintf(&where, " AND t%d.a <= t%d.a", i, i-1)
		}
		return b.String() + " WHERE 1" + where.String()
	},
	"keys": func(n int) string {
		var b strings.Builder
		b.WriteString("SELECT t0.id FROM keyed t0")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, " JOIN keyed t%d ON t%d.id = t%d.id", i, i, i-1)
		}
		return b.String() + " WHERE t0.id = 1"
	},
	"left joins": func(n int) string {
		var b strings.Builder
		b.WriteString("SELECT t0.id FROM keyed t0")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, " LEFT JOIN keyed t%d ON t%d.id = t%d.id + %d", i, i, i-1, i%2)
		}
		return b.String() + " WHERE t0.id = 1"
	},
	"nothing": func(n int) string {
		return "SELECT t0.a FROM one t0" + strings.Join(numberedFrom1(n-1, " CROSS JOIN one t%d"), "")
	},
	"semijoins": func(n int) string {
		return "SELECT t0.id FROM keyed t0 WHERE t0.id = 1" + strings.Join(numberedFrom1(n-1, " AND EXISTS (SELECT 1 FROM keyed t%d WHERE t%[1]d.id = t0.id)"), "")
	},
	"hinted": func(n int) string {
		return "SELECT /*+ JOIN_ORDER(t1,t0) */ t0.a FROM one t0" + strings.Join(numberedFrom1(n-1, " JOIN one t%d ON t%[1]d.a = t0.a"), "")
	},
	"straight": func(n int) string {
		return "SELECT STRAIGHT_JOIN t0.a FROM one t0" + strings.Join(numberedFrom1(n-1, " JOIN one t%d ON t%[1]d.a = t0.a"), "")
	},
	"everything": func(n int) string {
		return "SELECT COUNT(*) FROM (SELECT * FROM one t0" + strings.Join(numberedFrom1(n-1, " JOIN (SELECT a AS a%d FROM one) t%[1]d"), "") + ") AS x"
	},
}

// numberedFrom1 is a format filled in with each number from 1 to n.
func numberedFrom1(n int, format string) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(format, i+1))
	}
	return all
}

// bytesTaken is how many bytes do takes.
func bytesTaken(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Joins of any number of tables that a query can have are planned at once: what that takes does not double with each.
func TestJoinsOfManyTables(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	db := r.open(t, "")
	db.SetMaxOpenConns(1)
	for _, q := range []string{"CREATE DATABASE d", "USE d", "CREATE TABLE one (a INT)", "INSERT INTO one VALUES (1)", "CREATE TABLE keyed (id INT PRIMARY KEY, b INT)", "INSERT INTO keyed VALUES (1, 2), (2, 3), (3, 4)"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	for name, shape := range joinShapes {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 40, 61} {
				got := 0
				taken := bytesTaken(func() {
					if err := db.QueryRow(shape(n)).Scan(&got); err != nil {
						t.Fatalf("%d tables: %v", n, err)
					}
				})
				if got != 1 {
					t.Errorf("%d tables: %d, want 1", n, got)
				}
				if limit := uint64(16 << 20); taken > limit {
					t.Fatalf("%d tables: planning takes %d MiB, more than %d", n, taken>>20, limit>>20)
				}
			}
		})
	}
}

// Joins whose order is kept yield the same rows as what they say.
func TestJoinsOfManyTablesYieldTheSame(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	db := r.open(t, "")
	db.SetMaxOpenConns(1)
	for _, q := range []string{"CREATE DATABASE d", "USE d", "CREATE TABLE keyed (id INT PRIMARY KEY, b INT)", "INSERT INTO keyed VALUES (1, 2), (2, 3), (3, 1)"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	const none = 0 // the id where a LEFT JOIN finds nothing
	b := [...]int{none: 0, 1: 2, 2: 3, 3: 1}
	for n := 6; n <= 18; n++ {
		for range 6 {
			query := fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(t%d.id), 0) FROM keyed t0", n-1)
			rows := [][]int{{1}, {2}, {3}} // the ids of each row
			for i := 1; i < n; i++ {
				with, left, column := random.IntN(i), random.IntN(3) == 0, random.IntN(2)
				kind := map[bool]string{true: "LEFT JOIN", false: "JOIN"}[left]
				query += fmt.Sprintf(" %s keyed t%d ON t%d.%s = t%d.id", kind, i, i, []string{"id", "b"}[column], with)
				var joined [][]int
				for _, row := range rows {
					found := false
					for id := 1; id <= 3; id++ {
						if value := []int{id, b[id]}[column]; row[with] != none && value == row[with] {
							found = true
							joined = append(joined, append(slices.Clone(row), id))
						}
					}
					if left && !found {
						joined = append(joined, append(slices.Clone(row), none))
					}
				}
				rows = joined
			}
			where := random.IntN(n)
			query += fmt.Sprintf(" WHERE t%d.id < 3", where)
			count, sum := 0, 0
			for _, row := range rows {
				if row[where] != none && row[where] < 3 {
					count++
					sum += row[n-1]
				}
			}
			var gotCount, gotSum int
			if err := db.QueryRow(query).Scan(&gotCount, &gotSum); err != nil {
				t.Fatal(query, err)
			}
			if gotCount != count || gotSum != sum {
				t.Errorf("%s: %d rows, sum %d, want %d and %d", query, gotCount, gotSum, count, sum)
			}
		}
	}
}

// Views that name another twice double the tables at each level: soon there are too many.
func TestViewsInViews(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{})
	db := r.open(t, "")
	db.SetMaxOpenConns(1)
	exec := func(q string) {
		t.Helper()
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	exec("CREATE DATABASE d")
	exec("USE d")
	exec("CREATE VIEW v0 AS SELECT 1 AS a")
	refused := 0
	for i := range 30 {
		var err error
		taken := bytesTaken(func() {
			_, err = db.Exec(fmt.Sprintf("CREATE VIEW v%d AS SELECT x.a FROM v%d x, v%d y", i+1, i, i))
		})
		if limit := uint64(256 << 20); taken > limit {
			t.Errorf("level %d takes %d MiB", i, taken>>20)
		}
		if err != nil {
			if got := code(err); !strings.HasPrefix(got, "1116 ") {
				t.Fatal(got)
			}
			refused = i
			break
		}
		var a int
		if err := db.QueryRow(fmt.Sprintf("SELECT a FROM v%d", i)).Scan(&a); err != nil || a != 1 {
			t.Fatal(i, a, err)
		}
	}
	if refused < 5 || refused > 10 {
		t.Errorf("refused at level %d", refused)
	}
	exec("CREATE PROCEDURE p() BEGIN DECLARE i INT DEFAULT 0; WHILE i < 300 DO SELECT a INTO @a FROM v3; SET i = i + 1; END WHILE; END")
	exec("CALL p()") // each statement of it counts by itself
}
