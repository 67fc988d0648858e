package engine

// defaultVersion is what a server says it is unless its options say otherwise.
const defaultVersion = "8.4.8-pfsd"

// mysqlVersions are the versions that a server can say it is, by what Options.MySQLVersion is.
var mysqlVersions = map[string]struct {
	text  string
	major int // of the tables
}{"": {defaultVersion, 8}, "8.4": {defaultVersion, 8}, "9.6": {"9.6.0-pfsd", 9}}

// versionOf is what the server says it is.
func versionOf(o Options) string { return mysqlVersions[o.MySQLVersion].text }

// tableVersion is the MySQL version whose tables the server has, the part in front of the dot; ok is false if there is no such version.
func tableVersion(o Options) (major int, ok bool) {
	v, ok := mysqlVersions[o.MySQLVersion]
	return v.major, ok
}
