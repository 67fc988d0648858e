package config

// Switch says whether something is on. The zero value, Default, leaves it as it is by default.
type Switch int8

// The values of a Switch.
const (
	Default Switch = iota
	On
	Off
)

// SwitchOf is On or Off.
func SwitchOf(on bool) Switch {
	if on {
		return On
	}
	return Off
}

// Enabled tells whether something is on that is so by default.
func (s Switch) Enabled() bool { return s != Off }
