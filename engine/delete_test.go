package engine

import "testing"

// A connection without a current database deletes all rows of a table.
func TestDeleteWithoutDatabase(t *testing.T) {
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.orders (id INT PRIMARY KEY)")
	r.exec(t, "INSERT INTO test.orders VALUES (1), (2)")
	c, _ := r.conn(t)
	if _, err := c.ExecContext(t.Context(), "CREATE DATABASE gone"); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"USE gone", "DROP DATABASE gone", "DELETE FROM test.orders"} {
		if _, err := c.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	r.want(t, "SELECT COUNT(*) FROM test.orders", "0")
}
