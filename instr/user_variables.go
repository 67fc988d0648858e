package instr

import (
	"slices"
	"strings"
)

// UserVariable is a variable that a session has set, a row of user_variables_by_thread.
type UserVariable struct {
	Name  string // as it was first written, without @
	Value string // as text; as in MySQL's table NULL and the empty text are the same
}

// userVariable is a variable, and its name in lower case.
type userVariable struct {
	key string
	UserVariable
}

// SetUserVariable shows a variable of the thread's session, with its value as text, "" for NULL.
// Names that only differ in letter case are the same. Owned by the thread's goroutine.
func (t *Thread) SetUserVariable(name, value string) {
	s := t.ensureSession()
	if s == nil {
		return
	}
	key := strings.ToLower(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := slices.BinarySearchFunc(s.variables, key, func(v userVariable, key string) int { return strings.Compare(v.key, key) })
	if found {
		s.variables[i].Value = value
		return
	}
	s.variables = slices.Insert(s.variables, i, userVariable{key, UserVariable{name, value}})
}

// ClearUserVariables removes the variables of the thread's session. Owned by the thread's goroutine.
func (t *Thread) ClearUserVariables() {
	if s := t.ensureSession(); s != nil {
		s.mu.Lock()
		s.variables = nil
		s.mu.Unlock()
	}
}

// UserVariables appends the variables of the thread's session, in the order of their names.
// Safe for concurrent use.
func (t *Thread) UserVariables(to []UserVariable) []UserVariable {
	return readSession(t, to, func(s *session, to []UserVariable) []UserVariable {
		for i := range s.variables {
			to = append(to, s.variables[i].UserVariable)
		}
		return to
	})
}
