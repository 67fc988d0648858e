package sysvar

import "strings"

// IsOn tells whether a variable of two values is on.
func IsOn(v any) bool {
	switch v := v.(type) {
	case int8:
		return v != 0
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "ON") || v == "1"
	}
	return true
}
