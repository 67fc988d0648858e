package config

import "strings"

// automaticSizes are the values of the sizes that are given as -1.
type automaticSizes struct{ history, long, digests int }

// of returns the size for performance_schema_NAME, or -1 if the size does not depend on the server.
func (a automaticSizes) of(name string) int {
	switch {
	case strings.HasSuffix(name, "_history_size"):
		return a.history
	case strings.HasSuffix(name, "_history_long_size"):
		return a.long
	case name == "digests_size":
		return a.digests
	}
	return -1
}

// automatic calculates the automatic sizes as MySQL does, from the numbers of connections and open
// tables that the options allow. If small is false, the sizes are those of a large server, which
// are also the defaults of this server.
func (o Options) automatic() (sizes automaticSizes, small bool) {
	number := func(name string, def int) int {
		if n, err := parseInteger(o.Variables[name]); err == nil {
			return int(n)
		}
		return def
	}
	connections := o.MaxConnections
	if connections == 0 {
		connections = 151
	}
	tables := number("table_open_cache", 4000)
	definitions := number("table_definition_cache", min(400+tables/2, 2000))
	switch {
	case connections <= 151 && definitions <= 400 && tables <= 4000:
		return automaticSizes{5, 100, 1000}, true
	case connections <= 2*151 && definitions <= 2*400 && tables <= 2*4000:
		return automaticSizes{10, 1000, 5000}, true
	}
	return automaticSizes{10, 10000, 10000}, false
}
