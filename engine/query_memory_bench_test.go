package engine

import (
	"database/sql"
	"testing"
)

// BenchmarkKeeping is statements that keep 82,000 rows, and one that keeps none.
func BenchmarkKeeping(b *testing.B) {
	db, err := sql.Open("mysql", "root@tcp("+serveBench(b, Options{})+")/performance_schema")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, q := range []struct{ name, query string }{
		{"sort", "SELECT COUNT(*) FROM (SELECT a.ID, b.ID AS x FROM " + pairs + " ORDER BY b.ID, a.ID LIMIT 100000) t"},
		{"window", "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY b.ID, a.ID) FROM " + pairs + ") t"},
		{"groups", "SELECT COUNT(*) FROM (SELECT a.ID, b.ID AS x, COUNT(*) FROM " + pairs + " GROUP BY a.ID, b.ID) t"},
		{"sum", "SELECT SUM(a.ID + b.ID) FROM " + pairs},
	} {
		b.Run("kind="+q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				benchRead(b, db, q.query)
			}
		})
	}
}
