package panics

import (
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/dolthub/vitess/go/mysql"
)

// Caught counts the panics that cost no more than a statement, by where they come from. Safe for
// concurrent use.
type Caught struct {
	mu    sync.Mutex
	count map[string]uint64 // guarded by mu; by the place in the sources
}

// placesMax is how many places a Caught tells apart.
const placesMax = 1000

// Sizes of a report, in bytes.
const (
	valueMax = 1000     // of the value, and of the statement
	stackMax = 32 << 10 // of the stack
)

// Report is what the log gets to know of a panic, on the goroutine that has recovered it, "" if nothing: the
// stack the first time that the place panics, and how often it has when that has doubled. text is the statement, "" if it
// is not one.
func (c *Caught) Report(panicked any, text string) string {
	at := place()
	c.mu.Lock()
	if c.count == nil {
		c.count = map[string]uint64{}
	}
	if _, known := c.count[at]; !known && len(c.count) >= placesMax {
		at = "other places"
	}
	c.count[at]++
	n := c.count[at]
	c.mu.Unlock()
	if bits.OnesCount64(n) != 1 {
		return ""
	}
	what := cut(fmt.Sprint(panicked), valueMax)
	if text != "" {
		what += fmt.Sprintf(", in statement %q", cut(text, valueMax))
	}
	if n == 1 {
		return what + "\n" + cut(string(debug.Stack()), stackMax)
	}
	return fmt.Sprintf("%s, at %s, for the %dth time", what, at, n)
}

// cut returns the first bytes of a text.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// A Stop is what code panics with to end a statement with an error, where its caller would drop the error. [Refusal] returns the error.
type Stop struct{ Err error }

// refusals are the functions of go-mysql-server that panic for statements which they cannot plan, whatever is wrong with them, and MySQL's errors.
var refusals = map[string]*mysql.SQLError{
	// It gives a subquery in an argument of an aggregate with ORDER BY a row that is shorter than the subquery's plan says.
	"github.com/dolthub/go-mysql-server/sql/rowexec.newJoinState": mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'this join in a subquery of an aggregate'"),
	// It asks an EXECUTE in a program for its children where another part of the program assigns to a variable in a subquery.
	"github.com/dolthub/go-mysql-server/sql/plan.(*ExecuteQuery).Children": mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'EXECUTE beside an assignment in a subquery'"),
	// It looks for a column of the right side of a set operation for each of the left side before it compares their numbers.
	"github.com/dolthub/go-mysql-server/sql/planbuilder.(*Builder).mergeSetOpScopeColumns": mysql.NewSQLError(1222, "21000", "The used SELECT statements have a different number of columns"),
	// It looks for the table of a MATCH among those of FROM: HAVING, ON, views, derived tables and outer queries have none there.
	"github.com/dolthub/go-mysql-server/sql/planbuilder.(*Builder).buildMatchAgainst": noFullText,
	"github.com/dolthub/go-mysql-server/sql/planbuilder.getResolvedTablesByName":      noFullText,
}

var noFullText = mysql.NewSQLError(1214, "HY000", "The used table type doesn't support FULLTEXT indexes")

// Refusal is the error of the statement whose panic, with this value, has just been recovered, nil if the panic is a fault. It is none if the
// value is a [Stop], or if it began in one of the functions of refusals, or in what that calls itself.
func Refusal(value any) error {
	if stop, ok := value.(Stop); ok {
		return stop.Err
	}
	for i, f := range panicked() {
		if err := refusals[f.Function]; i < 2 && err != nil {
			return err
		}
	}
	return nil
}

// place is the file and the line where the panic began that has just been recovered.
func place() string {
	if frames := panicked(); len(frames) > 0 {
		return fmt.Sprintf("%s:%d", frames[0].File, frames[0].Line)
	}
	return "an unknown place"
}

// panicked are the functions that were running when the panic began that has just been recovered, the innermost first: code that has
// recovered it and panics with it again, as the SQL engine's planner does, stands nearer in the stack.
func panicked() (running []runtime.Frame) {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for inPanic, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			running, inPanic = nil, true
		case !inPanic, len(running) == 0 && strings.HasPrefix(f.Function, "runtime."):
		default:
			running = append(running, f)
		}
	}
	return running
}
