package charge

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/google/go-cmp/cmp"
)

// Copies stay what they are when the rows that they were made of change, and do not share memory that is written to.
func TestRowCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var c RowCopies
	var copies, want []sql.Row
	row, texts := make(sql.Row, 3), make([]string, 3)
	for n := range 1000 {
		room := []byte(strings.Repeat(fmt.Sprint(n), rng.IntN(20)))
		if rng.IntN(50) == 0 {
			room = make([]byte, 10_000)
		}
		row[0], row[1], row[2] = n, nil, room
		texts[0] = string(room)
		if n%3 > 0 {
			row[1] = TextAt(&texts[0])
		}
		want = append(want, sql.Row{n, row[1], room})
		if n%3 > 0 {
			want[n][1] = string(room)
		}
		copies = append(copies, c.Copy(row))
		texts[0] = "something else"
		if n%100 == 0 {
			runtime.GC()
		}
		copies[n] = append(copies[n], "more")[:3]
	}
	if diff := cmp.Diff(want, copies); diff != "" {
		t.Error(diff)
	}
}

func TestTextAt(t *testing.T) {
	text := "abc"
	v := TextAt(&text)
	if s, ok := v.(string); !ok || s != "abc" || v != any("abc") {
		t.Errorf("%T %v", v, v)
	}
	if n := testing.AllocsPerRun(100, func() { v = TextAt(&text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
