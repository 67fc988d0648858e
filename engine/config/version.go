package config

// Version is what a server says it is unless its options say otherwise: the MySQL version whose tables it has, and its name.
const Version = "8.4.8-pfsd"

// mysqlVersions are the versions that a server can say it is, by what Options.MySQLVersion is.
var mysqlVersions = map[string]struct {
	text  string
	major int // of the tables
}{"": {Version, 8}, "8.4": {Version, 8}, "9.6": {"9.6.0-pfsd", 9}}

// VersionOf is what the server says it is.
func VersionOf(o Options) string { return mysqlVersions[o.MySQLVersion].text }

// TableVersion is the MySQL version whose tables the server has, the part in front of the dot; ok is false if there is no such version.
func TableVersion(o Options) (major int, ok bool) {
	v, ok := mysqlVersions[o.MySQLVersion]
	return v.major, ok
}
