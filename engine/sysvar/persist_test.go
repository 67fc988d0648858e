package sysvar

import "testing"

// A file is either read or refused, whatever it contains. What is read is written so that it is
// read the same way again.
func FuzzPersistedFile(f *testing.F) {
	f.Add(`{"Version": 2, "mysql_dynamic_variables": {"max_connections": {"Value": "5", "Metadata": {"Host": "h", "User": "u", "Timestamp": 1}}}, "x": [1]}`)
	f.Add(`{"Version": 2, "mysql_static_variables": {"A\u0000": {"Value": "\ud800<>"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		read := func(text []byte) (*Persisted, error) {
			p := &Persisted{of: map[string]PersistedValue{}}
			return p, p.parse(text)
		}
		p, err := read([]byte(text))
		if err != nil {
			return
		}
		find := func(string) *Variable { return nil }
		again, err := read(p.text(find))
		if err != nil || string(again.text(find)) != string(p.text(find)) || len(again.of) != len(p.of) {
			t.Errorf("%q is written as %q, %v", text, p.text(find), err)
		}
	})
}
