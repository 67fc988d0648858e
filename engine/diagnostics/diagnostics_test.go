package diagnostics

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// What is said of tables that are not there is worded for as many as are kept, and no more: each time the whole statement is read.
func TestWordedIsKept(t *testing.T) {
	ctx := sql.NewContext(t.Context(), sql.WithQuery("DROP TABLE IF EXISTS a"))
	w := &sql.Warning{Level: levelNote, Code: 1051, Message: "Unknown table 'a'"}
	if got := worded(ctx, w, false).message; got != w.Message {
		t.Errorf("%s, not as it is", got)
	}
	if got := worded(ctx, w, true).message; got != "Unknown table '.a'" {
		t.Errorf("%s", got)
	}
}
