package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pfsd/tables"
)

func TestProbe(t *testing.T) {
	b, err := os.ReadFile("/tmp/access-probe.sql")
	if err != nil {
		t.Skip()
	}
	r := serve(t, Options{}, tables.All()...)
	c, _ := r.conn(t)
	for _, q := range strings.Split(string(b), "\n") {
		q = strings.TrimSpace(q)
		if q == "" {
			continue
		}
		t0 := time.Now()
		rows, err := c.QueryContext(t.Context(), q)
		if err != nil {
			fmt.Printf("%s\n   %s\n", q, code(err))
			continue
		}
		cols, _ := rows.Columns()
		n := 0
		fmt.Printf("%s\n   ok %v\n", q, cols)
		for rows.Next() {
			n++
			if n <= 6 {
				vals := make([]any, len(cols))
				for i := range vals {
					vals[i] = new(any)
				}
				_ = rows.Scan(vals...)
				for i := range vals {
					if v, ok := (*vals[i].(*any)).([]byte); ok {
						fmt.Printf("   | %s", v)
					} else {
						fmt.Printf("   | %v", *vals[i].(*any))
					}
				}
				fmt.Println()
			}
		}
		fmt.Printf("   %d rows %v\n", n, time.Since(t0))
		if err := rows.Err(); err != nil {
			fmt.Printf("   then %s\n", code(err))
		}
		_ = rows.Close()
	}
}
