package connection

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/budget"
	"pfsd/engine/storage"
)

// warnings bound the warnings of the SQL engine that the session keeps until the statement ends. Owned by the connection's goroutine.
type warnings struct {
	work *Work
	hold *budget.Hold
}

var _ storage.Warnings = (*warnings)(nil)

const (
	// warningBytes is about what a warning takes besides its message.
	warningBytes = 96
	// longMessage is how long the message of a warning is at the most, bytes; of a longer one the middle goes. What the warning is to MySQL
	// may depend on its end.
	longMessage = 2 << 10
)

// Keeps implements storage.Warnings.
func (w *warnings) Keeps(warning *sql.Warning, has int) bool {
	var most any
	if v := w.work.Variables; v != nil {
		most = v.Get("max_error_count")
	} else {
		most = w.work.ServerVariables.Global("max_error_count")
	}
	if n, ok := most.(uint64); !ok || uint64(has) >= n {
		return false
	}
	if m := warning.Message; len(m) > longMessage {
		warning.Message = m[:longMessage/2] + m[len(m)-longMessage/2:]
	}
	return w.hold.Charge(int64(warningBytes+len(warning.Message))) == nil
}

// Cleared implements storage.Warnings.
func (w *warnings) Cleared() { w.hold.Release() }

// boundWarnings bounds the warnings of a session of the connection.
func (w *Work) boundWarnings(s sql.Session) {
	if s, ok := s.(interface{ BoundWarnings(storage.Warnings) }); ok {
		w.warned.Release()
		s.BoundWarnings(&warnings{w, w.warned})
	}
}
