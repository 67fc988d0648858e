package config

// Version is what a server reports as its version by default: the MySQL version whose tables it
// has, and its name.
const Version = "8.4.8-pfsd"

// mysqlVersions are the versions that a server can report, by the value of Options.MySQLVersion.
var mysqlVersions = map[string]struct {
	text  string
	major int // version of the tables
}{"": {Version, 8}, "8.4": {Version, 8}, "9.6": {"9.6.0-pfsd", 9}}

// VersionOf returns the version that the server reports.
func VersionOf(o Options) string { return mysqlVersions[o.MySQLVersion].text }

// TableVersion returns the major number of the MySQL version whose tables the server has. ok is
// false if there is no such version.
func TableVersion(o Options) (major int, ok bool) {
	v, ok := mysqlVersions[o.MySQLVersion]
	return v.major, ok
}
