package config

import "math"

// hostOptions are the options about the hosts of clients.
func hostOptions() []option {
	return []option{
		{"skip-name-resolve", "", booleanOption, "OFF", 0, 0, "hosts have no names, addresses alone, and host_cache stays empty",
			func(s *settings, v optionValue) error { s.NameResolution = SwitchOf(!v.on); return nil }},
		{"host-cache-size", "N", integerOption, "-1", -1, 65536, "addresses that host_cache holds, 0 is none; -1 is automatic; the variable host_cache_size changes it",
			func(s *settings, v optionValue) error { s.HostCacheSize = new(int(v.number)); return nil }},
		{"max-connect-errors", "N", integerOption, "100", 1, math.MaxInt64, "failed handshakes in a row after which an address is blocked until host_cache is truncated; the variable max_connect_errors changes it",
			func(s *settings, v optionValue) error { s.MaxConnectErrors = v.number; return nil }},
	}
}
