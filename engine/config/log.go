package config

import (
	"fmt"
	"strings"
)

// logOptions are the options about the error log, except log-error.
func logOptions() []option {
	return []option{
		{"log-error-verbosity", "N", integerOption, "2", 1, 3, "what the error log has: 1 is errors, 2 warnings too, 3 notes too; the variable log_error_verbosity changes it",
			func(s *settings, v optionValue) error { s.LogErrorVerbosity = int(v.number); return nil }},
		{"log-timestamps", "ZONE", textOption, "UTC", 0, 0, "time zone of the error log's lines: UTC, or SYSTEM for that of the machine; the variable log_timestamps changes it",
			func(s *settings, v optionValue) error {
				zone := strings.ToUpper(v.text)
				if zone != "UTC" && zone != "SYSTEM" {
					return fmt.Errorf("value '%s' is neither UTC nor SYSTEM", v.text)
				}
				s.LogSystemTime = zone == "SYSTEM"
				return nil
			}},
	}
}
