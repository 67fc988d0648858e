package accounts

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// ID names an account or a role.
type ID struct{ User, Host string }

// String is user@host.
func (id ID) String() string { return id.User + "@" + id.Host }

// Quoted is the name in backticks, as SHOW GRANTS has it.
func (id ID) Quoted() string { return backticked(id.User) + "@" + backticked(id.Host) }

// quotedText is the name in quotes, as error messages have it.
func (id ID) quotedText() string { return "'" + id.User + "'@'" + id.Host + "'" }

// ParseID is the account that a text such as `root`@`%` names. One without a host has %.
func ParseID(name string) ID {
	id := ID{name, "%"}
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		id = ID{name[:i], name[i+1:]}
	}
	return ID{strings.Trim(id.User, "`'"), strings.Trim(id.Host, "`'")}
}

func backticked(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func compareIDs(a, b ID) int { return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Host, b.Host)) }

// Account is an account or a role: a role is an account that nobody can log in with. It does
// not change once it is in a Store.
type Account struct {
	ID
	// Plugin is how the password is kept and asked for, and Auth what is kept; "" is no password.
	Plugin string
	Auth   string
	// Locked keeps clients out; Expired lets them change the password alone.
	Locked  bool `json:",omitempty"`
	Expired bool `json:",omitempty"`
	// RequireTLS keeps out clients whose connection is not encrypted.
	RequireTLS bool `json:",omitempty"`
	// MaxConnections is how many clients may be logged in at a time, 0 is no limit.
	MaxConnections int `json:",omitempty"`
	// PasswordChanged is when the password was set.
	PasswordChanged time.Time
	// FailedLoginAttempts is after how many failures in a row nobody is let in, for
	// PasswordLockDays days, Unbounded for ever; 0 of either is never.
	FailedLoginAttempts int `json:",omitempty"`
	PasswordLockDays    int `json:",omitempty"`
	// Comment is what CREATE USER ... COMMENT says.
	Comment string `json:",omitempty"`

	passing bool // it ends with the process

	// Global is what it may do everywhere; Grantable are those dynamic ones of them that it can
	// pass on: the others are passed on where there is a GrantOption.
	Global    Set
	Grantable Set
	Schemas   []SchemaGrant  `json:",omitempty"`
	Tables    []TableGrant   `json:",omitempty"`
	Routines  []RoutineGrant `json:",omitempty"`
	// Roles are the roles that it can take on, and Defaults those that it has after it logs in.
	Roles    []RoleGrant `json:",omitempty"`
	Defaults []ID        `json:",omitempty"`
}

// SchemaGrant is what one may do in the databases whose name matches a pattern, with % and _.
type SchemaGrant struct {
	Name  string
	Privs Set
}

// TableGrant is what one may do with a table, and with columns of it.
type TableGrant struct {
	Schema, Name string
	Privs        Set
	Columns      []ColumnGrant `json:",omitempty"`
	Grantor      string        `json:",omitempty"`
}

// ColumnGrant is what one may do with a column.
type ColumnGrant struct {
	Name  string
	Privs Set
}

// RoutineGrant is what one may do with a procedure, or with a function.
type RoutineGrant struct {
	Schema, Name string
	Function     bool `json:",omitempty"`
	Privs        Set
}

// RoleGrant is a role that one can take on; with Admin one can pass it on.
type RoleGrant struct {
	Role  ID
	Admin bool `json:",omitempty"`
}

// clone is a copy that can be changed.
func (a *Account) clone() *Account {
	c := *a
	c.Schemas, c.Tables, c.Routines = slices.Clone(a.Schemas), slices.Clone(a.Tables), slices.Clone(a.Routines)
	for i := range c.Tables {
		c.Tables[i].Columns = slices.Clone(c.Tables[i].Columns)
	}
	c.Roles, c.Defaults = slices.Clone(a.Roles), slices.Clone(a.Defaults)
	return &c
}

// Client is who wants to log in: the name it gives, the name of its machine, and the address.
type Client struct {
	User, Host string
	Addr       net.IP // nil on a unix socket
}

// matches tells whether an account is for a client.
func (a *Account) matches(c Client) bool {
	return (a.User == "" || a.User == c.User) && hostMatches(a.Host, c)
}

func hostMatches(pattern string, c Client) bool {
	if pattern == "" || pattern == "%" || strings.EqualFold(pattern, c.Host) {
		return true
	}
	if c.Addr != nil {
		addr := c.Addr.String()
		if pattern == addr || like(pattern, addr) {
			return true
		}
		if network, ok := network(pattern); ok && network.Contains(c.Addr) {
			return true
		}
	}
	return like(strings.ToLower(pattern), strings.ToLower(c.Host))
}

// LocalHost tells whether the host of an account is for clients on the server's machine alone.
func LocalHost(pattern string) bool {
	if strings.EqualFold(pattern, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(pattern)
	return err == nil && addr.IsLoopback()
}

// network is ADDRESS/MASK or ADDRESS/BITS.
func network(pattern string) (*net.IPNet, bool) {
	base, mask, ok := strings.Cut(pattern, "/")
	if !ok {
		return nil, false
	}
	if p, err := netip.ParsePrefix(pattern); err == nil {
		return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}, true
	}
	ip, m := net.ParseIP(base).To4(), net.ParseIP(mask).To4()
	if ip == nil || m == nil {
		return nil, false
	}
	return &net.IPNet{IP: ip, Mask: net.IPMask(m)}, true
}

// like matches a text with a pattern, in which % is any text, _ any character, and \ takes
// away their meaning.
func like(pattern, s string) bool {
	for len(pattern) > 0 {
		switch c := pattern[0]; {
		case c == '%':
			for pattern = pattern[1:]; ; s = s[1:] {
				if like(pattern, s) {
					return true
				}
				if s == "" {
					return false
				}
			}
		case s == "":
			return false
		case c == '\\' && len(pattern) > 1:
			if pattern[1] != s[0] {
				return false
			}
			pattern, s = pattern[2:], s[1:]
		case c == '_' || c == s[0]:
			pattern, s = pattern[1:], s[1:]
		default:
			return false
		}
	}
	return s == ""
}

// wild tells whether a pattern is for more than one name.
func wild(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '%', '_':
			return true
		}
	}
	return false
}

// bySpecificity puts the accounts first that are for fewer hosts, then those that are for
// fewer users: the first that matches a client is the client's.
func bySpecificity(a, b *Account) int {
	return cmp.Or(
		cmp.Compare(hostRank(a.Host), hostRank(b.Host)),
		cmp.Compare(literalPrefix(b.Host), literalPrefix(a.Host)),
		cmp.Compare(emptiness(a.User), emptiness(b.User)),
		compareIDs(a.ID, b.ID),
	)
}

func hostRank(host string) int {
	switch {
	case host == "":
		return 4
	case host == "%":
		return 3
	case wild(host):
		return 2
	case strings.Contains(host, "/"):
		return 1
	}
	return 0
}

// literalPrefix is how long a pattern is before its first wildcard; 0 for one without any.
func literalPrefix(pattern string) int { return max(strings.IndexAny(pattern, "%_"), 0) }

func emptiness(s string) int {
	if s == "" {
		return 1
	}
	return 0
}
