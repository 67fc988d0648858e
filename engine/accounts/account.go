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

// String returns user@host.
func (id ID) String() string { return id.User + "@" + id.Host }

// Quoted returns the name in backticks, as SHOW GRANTS writes it.
func (id ID) Quoted() string { return quoteName(id.User) + "@" + quoteName(id.Host) }

// quotedText returns the name in single quotes, as error messages write it.
func (id ID) quotedText() string { return "'" + id.User + "'@'" + id.Host + "'" }

// ParseID reads the name of an account, such as `root`@`%`. The host is % if there is none.
func ParseID(name string) ID {
	id := ID{name, "%"}
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		id = ID{name[:i], name[i+1:]}
	}
	return ID{strings.Trim(id.User, "`'"), strings.Trim(id.Host, "`'")}
}

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func compareIDs(a, b ID) int { return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Host, b.Host)) }

// Account is an account or a role: a role is an account that nobody can log in with. It is
// immutable once it is in a Store.
type Account struct {
	ID
	// Plugin is the authentication plugin. Auth is the plugin's hash of the password; "" means no
	// password.
	Plugin string
	Auth   string
	// Locked keeps clients out; Expired lets them do nothing but change the password.
	Locked  bool `json:",omitempty"`
	Expired bool `json:",omitempty"`
	// RequireTLS keeps out clients whose connection is not encrypted.
	RequireTLS bool `json:",omitempty"`
	Limits
	// PasswordChanged is when the password was set.
	PasswordChanged time.Time
	// FailedLoginAttempts is the number of failures in a row that blocks the account for
	// PasswordLockDays days; unbounded days means forever. If either is 0, the account is never
	// blocked.
	FailedLoginAttempts int `json:",omitempty"`
	PasswordLockDays    int `json:",omitempty"`
	// Comment is the text of CREATE USER ... COMMENT.
	Comment string `json:",omitempty"`

	temporary bool // it is not saved

	// Global are the global privileges; Grantable are the dynamic ones among them that the account
	// has WITH GRANT OPTION. For static privileges that is the privilege GrantOption.
	Global    Set
	Grantable Set
	Schemas   []SchemaGrant  `json:",omitempty"`
	Tables    []TableGrant   `json:",omitempty"`
	Routines  []RoutineGrant `json:",omitempty"`
	// Roles are the granted roles. Defaults are those of them that are active after a login.
	Roles    []RoleGrant `json:",omitempty"`
	Defaults []ID        `json:",omitempty"`
}

// SchemaGrant grants privileges on the databases whose names match a pattern with % and _.
type SchemaGrant struct {
	Name  string
	Privs Set
}

// TableGrant grants privileges on a table, and on columns of it.
type TableGrant struct {
	Schema, Name string
	Privs        Set
	Columns      []ColumnGrant `json:",omitempty"`
	Grantor      string        `json:",omitempty"`
}

// ColumnGrant grants privileges on a column.
type ColumnGrant struct {
	Name  string
	Privs Set
}

// RoutineGrant grants privileges on a procedure or a function.
type RoutineGrant struct {
	Schema, Name string
	Function     bool `json:",omitempty"`
	Privs        Set
}

// RoleGrant grants a role; Admin is WITH ADMIN OPTION.
type RoleGrant struct {
	Role  ID
	Admin bool `json:",omitempty"`
}

// clone returns a copy that may be changed.
func (a *Account) clone() *Account {
	c := *a
	c.Schemas, c.Tables, c.Routines = slices.Clone(a.Schemas), slices.Clone(a.Tables), slices.Clone(a.Routines)
	for i := range c.Tables {
		c.Tables[i].Columns = slices.Clone(c.Tables[i].Columns)
	}
	c.Roles, c.Defaults = slices.Clone(a.Roles), slices.Clone(a.Defaults)
	return &c
}

// Client is a client that logs in: the user name it gives, its host name, and its address.
type Client struct {
	User, Host string
	Addr       net.IP // nil on a unix socket
}

// matches reports whether a client may log in with the account.
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

// LocalHost reports whether the host pattern of an account matches only clients on the server's
// machine.
func LocalHost(pattern string) bool {
	if strings.EqualFold(pattern, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(pattern)
	return err == nil && addr.IsLoopback()
}

// network parses ADDRESS/MASK and ADDRESS/BITS.
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

// like matches a text with a pattern: % stands for any text, _ for any character, and \ escapes both.
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

// hasWildcard reports whether a pattern has a wildcard that is not escaped.
func hasWildcard(pattern string) bool {
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

// bySpecificity sorts accounts by how specific their hosts are, then their users: a client logs in
// with the first one that matches it.
func bySpecificity(a, b *Account) int {
	return cmp.Or(
		cmp.Compare(hostRank(a.Host), hostRank(b.Host)),
		cmp.Compare(literalPrefix(b.Host), literalPrefix(a.Host)),
		cmp.Compare(emptyRank(a.User), emptyRank(b.User)),
		compareIDs(a.ID, b.ID),
	)
}

func hostRank(host string) int {
	switch {
	case host == "":
		return 4
	case host == "%":
		return 3
	case hasWildcard(host):
		return 2
	case strings.Contains(host, "/"):
		return 1
	}
	return 0
}

// literalPrefix returns the length of a pattern before its first wildcard; 0 for a pattern without
// wildcards.
func literalPrefix(pattern string) int { return max(strings.IndexAny(pattern, "%_"), 0) }

func emptyRank(s string) int {
	if s == "" {
		return 1
	}
	return 0
}
