package config

// Switch says whether something is on. The zero value, Default, means that the default applies.
type Switch int8

// The values of a Switch.
const (
	Default Switch = iota
	On
	Off
)

// SwitchOf returns On or Off.
func SwitchOf(on bool) Switch {
	if on {
		return On
	}
	return Off
}

// Enabled tells whether something is on whose default is on.
func (s Switch) Enabled() bool { return s != Off }
