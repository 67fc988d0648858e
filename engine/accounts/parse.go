package accounts

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrSyntax is the error of a statement about accounts with a syntax error; the message ends with
// the text at which parsing stopped.
var ErrSyntax = errors.New("syntax error")

// Parse parses the first statement of text if it is about accounts; it returns nil for any other
// statement. ansi is the SQL mode ANSI_QUOTES: " quotes names.
func Parse(text string, ansi bool) (*Statement, error) {
	p := &parser{text: text, ansi: ansi}
	var st *Statement
	if err := p.catchFailure(func() { p.next(); st = p.statement() }); err != nil || st == nil {
		return nil, err
	}
	return st, nil
}

// MayBe reports whether text may be a statement about accounts, judged by its first letters. It is
// a cheap check before Parse.
func MayBe(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] <= ' ' {
			continue
		}
		switch text[i] | 0x20 {
		case 'c', 'a', 'd', 'r', 'g', 'f':
			return true
		case 's':
			return i+2 < len(text) && (text[i+1]|0x20 == 'h' || text[i+1]|0x20 == 'e' && text[i+2]|0x20 == 't')
		case '/', '-', '#': // a comment
			return true
		}
		return false
	}
	return false
}

type tokenKind int

const (
	end    tokenKind = iota
	word             // not quoted
	quoted           // a name in backticks
	text             // a text in quotes
	punct            // a character
)

type token struct {
	kind     tokenKind
	s        string // a word as written; a quoted text or name without its quotes
	from, to int    // where it begins and ends in the text
}

// parser parses statements. Its methods panic with a failure, which catchFailure recovers.
type parser struct {
	text string
	ansi bool
	pos  int
	at   token
	// secrets and comments are the places of passwords and comments; a place may occur more than
	// once.
	secrets, comments [][2]int
}

type failure struct{ err error }

func (p *parser) catchFailure(do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	do()
	return nil
}

func (p *parser) fail() {
	panic(failure{fmt.Errorf("%w near '%s'", ErrSyntax, p.text[p.at.from:])})
}

// next goes to the next token.
func (p *parser) next() {
	p.skipBlank()
	start := p.pos
	if p.pos >= len(p.text) || p.text[p.pos] == ';' {
		p.at = token{end, "", start, start}
		return
	}
	switch c := p.text[p.pos]; {
	case c == '`' || c == '\'' || c == '"':
		s := p.quotes(c)
		kind := text
		if c == '`' || c == '"' && p.ansi {
			kind = quoted
		}
		p.at = token{kind, s, start, p.pos}
	case isWord(c):
		for p.pos < len(p.text) && isWord(p.text[p.pos]) {
			p.pos++
		}
		p.at = token{word, p.text[start:p.pos], start, p.pos}
	default:
		p.pos++
		p.at = token{punct, p.text[start:p.pos], start, p.pos}
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}

// skipBlank skips white space and comments, but not the contents of /*! */.
func (p *parser) skipBlank() {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch c := rest[0]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			p.pos++
		case strings.HasPrefix(rest, "/*!"):
			p.pos += len("/*!")
			for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
				p.pos++
			}
		case strings.HasPrefix(rest, "/*"):
			i := strings.Index(rest[2:], "*/")
			if i < 0 {
				p.comment(len(p.text))
				return
			}
			p.comment(p.pos + i + 4)
		case strings.HasPrefix(rest, "*/"):
			p.pos += 2
		case c == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' ' || rest[2] == 0x7F):
			i := strings.IndexByte(rest, '\n')
			if i < 0 {
				p.comment(len(p.text))
				return
			}
			p.comment(p.pos + i + 1)
		default:
			return
		}
	}
}

// comment skips a comment that ends at end.
func (p *parser) comment(end int) {
	p.comments = append(p.comments, [2]int{p.pos, end})
	p.pos = end
}

// escapes maps the characters that have a special meaning after a backslash to their values.
var escapes = map[byte]byte{'0': 0, 'b': '\b', 'n': '\n', 'r': '\r', 't': '\t', 'Z': 26}

// quotes reads a text or name in the quotes q.
func (p *parser) quotes(q byte) string {
	var b strings.Builder
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; {
		case c == q && p.pos+1 < len(p.text) && p.text[p.pos+1] == q:
			p.pos++
			b.WriteByte(q)
		case c == q:
			p.pos++
			return b.String()
		case c == '\\' && q != '`' && p.pos+1 < len(p.text):
			p.pos++
			if e, ok := escapes[p.text[p.pos]]; ok {
				b.WriteByte(e)
			} else {
				b.WriteByte(p.text[p.pos])
			}
		default:
			b.WriteByte(c)
		}
	}
	p.at = token{end, "", len(p.text), len(p.text)}
	p.fail()
	return ""
}

// is reports whether the current token is this keyword or character.
func (p *parser) is(s string) bool {
	return p.at.kind == word && strings.EqualFold(p.at.s, s) || p.at.kind == punct && p.at.s == s
}

// take skips the next tokens if they are these keywords or characters.
func (p *parser) take(words ...string) bool {
	pos, at := p.pos, p.at
	for _, w := range words {
		if !p.is(w) {
			p.pos, p.at = pos, at
			return false
		}
		p.next()
	}
	return true
}

func (p *parser) want(words ...string) {
	for _, w := range words {
		if !p.take(w) {
			p.fail()
		}
	}
}

// name reads a name.
func (p *parser) name() string {
	if p.at.kind != word && p.at.kind != quoted {
		p.fail()
	}
	s := p.at.s
	p.next()
	return s
}

// literal reads a text.
func (p *parser) literal() string {
	if p.at.kind != text && (p.at.kind != quoted || p.text[p.at.from] == '`') {
		p.fail()
	}
	s := p.at.s
	p.next()
	return s
}

// secret reads a password.
func (p *parser) secret() string {
	p.secrets = append(p.secrets, [2]int{p.at.from, p.at.to})
	return p.literal()
}

func (p *parser) number() int {
	n, err := strconv.Atoi(p.at.s)
	if p.at.kind != word || err != nil {
		p.fail()
	}
	p.next()
	return n
}

// daysMax is the largest value of FAILED_LOGIN_ATTEMPTS, a number of failures, and of
// PASSWORD_LOCK_TIME, a number of days.
const daysMax = 32767

// days reads the value of FAILED_LOGIN_ATTEMPTS or PASSWORD_LOCK_TIME.
func (p *parser) days() int {
	at := p.at
	n := p.number()
	if n > daysMax {
		p.at = at
		p.fail()
	}
	return n
}

// list calls one for each element of a list with commas.
func (p *parser) list(one func()) {
	for one(); p.take(","); one() {
	}
}

// statement reads a statement; nil if it is not about accounts.
func (p *parser) statement() *Statement {
	st := &Statement{}
	switch {
	case p.take("create", "user"):
		st.Kind = "create_user"
		st.ifExists = p.take("if", "not", "exists")
		p.users(st)
		p.options(st)
	case p.take("alter", "user"):
		st.Kind = "alter_user"
		st.ifExists = p.take("if", "exists")
		p.alterUser(st)
	case p.take("drop", "user"):
		st.Kind = "drop_user"
		st.ifExists = p.take("if", "exists")
		p.list(func() { st.users = append(st.users, p.user()) })
	case p.take("rename", "user"):
		st.Kind = "rename_user"
		p.list(func() {
			st.users = append(st.users, p.user())
			p.want("to")
			st.renamed = append(st.renamed, p.user())
		})
	case p.take("create", "role"):
		st.Kind = "create_role"
		st.ifExists = p.take("if", "not", "exists")
		p.list(func() { st.roles = append(st.roles, p.user()) })
	case p.take("drop", "role"):
		st.Kind = "drop_role"
		st.ifExists = p.take("if", "exists")
		p.list(func() { st.roles = append(st.roles, p.user()) })
	case p.take("grant"):
		p.grant(st)
	case p.take("revoke"):
		p.revoke(st)
	case p.take("set", "password"):
		st.Kind = "set_password"
		p.setPassword(st)
	case p.take("set", "default", "role"):
		st.Kind = "alter_user_default_role"
		p.roleChoice(st, false)
		p.want("to")
		p.list(func() { st.users = append(st.users, p.user()) })
	case p.take("set", "role"):
		st.Kind = "set_role"
		p.roleChoice(st, true)
	case p.take("show", "grants"):
		st.Kind, st.hasRows = "show_grants", true
		if p.take("for") {
			st.users = append(st.users, p.user())
			if p.take("using") {
				p.list(func() { st.roles = append(st.roles, p.user()) })
			}
		}
	case p.take("show", "create", "user"):
		st.Kind, st.hasRows = "show_create_user", true
		st.users = append(st.users, p.user())
	case p.take("flush", "privileges"):
		st.Kind = "flush"
	default:
		return nil
	}
	if p.at.kind != end {
		p.fail()
	}
	st.End, st.Text = p.at.to, p.redacted(p.at.to)
	return st
}

// redacted returns the text up to the position to, without passwords. If there are any, it leaves
// out comments as well, because they may hold a password too.
func (p *parser) redacted(to int) string {
	if len(p.secrets) == 0 {
		return p.text[:to]
	}
	type hidden struct {
		from, to int
		instead  string
	}
	var all []hidden
	for _, s := range p.secrets {
		all = append(all, hidden{s[0], s[1], "'<secret>'"})
	}
	for _, c := range p.comments {
		all = append(all, hidden{c[0], c[1], " "})
	}
	slices.SortFunc(all, func(a, b hidden) int { return a.from - b.from })
	var b strings.Builder
	from := 0
	for _, h := range all {
		if h.from < from || h.to > to {
			continue
		}
		b.WriteString(p.text[from:h.from])
		b.WriteString(h.instead)
		from = h.to
	}
	b.WriteString(p.text[from:to])
	return strings.TrimSpace(b.String())
}

// user reads USER[@HOST], or CURRENT_USER().
func (p *parser) user() userSpec {
	if p.at.kind == word && (strings.EqualFold(p.at.s, "current_user") || strings.EqualFold(p.at.s, "user") && strings.HasPrefix(p.text[p.at.to:], "()")) {
		p.next()
		if p.take("(") {
			p.want(")")
		}
		return userSpec{current: true}
	}
	if p.at.kind != word && p.at.kind != quoted && p.at.kind != text {
		p.fail()
	}
	u := userSpec{ID: ID{p.at.s, "%"}}
	p.next()
	if !p.is("@") {
		return u
	}
	// A host without quotes may have dots and hyphens.
	from := p.pos
	for p.pos < len(p.text) && (isWord(p.text[p.pos]) || p.text[p.pos] == '.' || p.text[p.pos] == '-') {
		p.pos++
	}
	if p.pos > from {
		u.Host = p.text[from:p.pos]
		p.next()
	} else {
		p.next()
		if p.at.kind != quoted && p.at.kind != text {
			p.fail()
		}
		u.Host = p.at.s
		p.next()
	}
	u.Host = strings.ToLower(u.Host)
	return u
}

// users reads accounts with their passwords.
func (p *parser) users(st *Statement) {
	p.list(func() {
		u := p.user()
		p.identification(&u)
		st.users = append(st.users, u)
	})
}

// identification reads the optional clauses IDENTIFIED, REPLACE, and those of dual passwords.
func (p *parser) identification(u *userSpec) {
	if p.take("identified") {
		u.setsAuth = true
		if p.take("with") {
			u.plugin = strings.ToLower(p.at.s)
			if p.at.kind != word && p.at.kind != quoted && p.at.kind != text {
				p.fail()
			}
			p.next()
		}
		switch {
		case p.take("by", "random", "password"):
			u.random = true
		case p.take("by"):
			u.password = p.secret()
		case u.plugin != "" && p.take("as"):
			u.hash = p.secret()
		case u.plugin == "":
			p.fail()
		}
	}
	if p.take("replace") {
		s := p.secret()
		u.replace = &s
	}
	if p.take("retain", "current", "password") || p.take("discard", "old", "password") {
		panic(failure{errUnsupported("dual passwords")})
	}
}

// options reads the clauses after the accounts of CREATE USER and ALTER USER.
func (p *parser) options(st *Statement) {
	o := &st.options
	set := func(at **bool, v bool) { *at = &v }
	for p.at.kind != end {
		switch {
		case p.take("default", "role"):
			p.list(func() { st.roles = append(st.roles, p.user()) })
		case p.take("require", "none"):
			set(&o.tls, false)
		case p.take("require", "ssl"):
			set(&o.tls, true)
		case p.is("require"):
			panic(failure{errUnsupported("REQUIRE X509")})
		case p.take("with"):
			p.limits(o)
		case p.take("account", "lock"):
			set(&o.locked, true)
		case p.take("account", "unlock"):
			set(&o.locked, false)
		case p.take("password", "expire"):
			p.expire(o)
		case p.take("password", "history"), p.take("password", "reuse", "interval"), p.take("password", "require", "current"):
			if !p.take("default") && !p.take("optional") && p.at.kind == word {
				p.next()
				p.take("day")
			}
		case p.take("failed_login_attempts"):
			n := p.days()
			o.failedAttempts = &n
		case p.take("password_lock_time"):
			n := unbounded
			if !p.take("unbounded") {
				n = p.days()
			}
			o.lockDays = &n
		case p.take("comment"), p.take("attribute"):
			s := p.literal()
			o.comment = &s
		default:
			p.fail()
		}
	}
}

// limits reads what stands behind WITH: an option of limitOptions, and a number.
func (p *parser) limits(o *accountOptions) {
	for read := false; ; read = true {
		at := 0
		for at < len(limitOptions) && !p.take(limitOptions[at].name) {
			at++
		}
		if at == len(limitOptions) {
			if !read {
				p.fail()
			}
			return
		}
		n := p.number()
		o.limits[at] = &n
	}
}

func (p *parser) expire(o *accountOptions) {
	expired := false
	switch {
	case p.take("default"), p.take("never"):
	case p.take("interval"):
		p.number()
		p.want("day")
	default:
		expired = true
	}
	o.expired = &expired
}

func (p *parser) alterUser(st *Statement) {
	p.users(st)
	if len(st.users) == 1 && p.take("default", "role") {
		st.Kind = "alter_user_default_role"
		p.roleChoice(st, false)
		return
	}
	p.options(st)
}

func (p *parser) setPassword(st *Statement) {
	u := userSpec{current: true}
	if p.take("for") {
		u = p.user()
	}
	u.setsAuth = true
	switch {
	case p.take("="):
		u.password = p.secret()
	case p.take("to", "random"):
		u.random = true
	default:
		p.fail()
	}
	if p.take("replace") {
		s := p.secret()
		u.replace = &s
	}
	st.users = []userSpec{u}
}

// roleChoice reads a choice of roles; active allows DEFAULT and ALL EXCEPT, as in SET ROLE.
func (p *parser) roleChoice(st *Statement, active bool) {
	switch {
	case p.take("none"):
		st.choice = noRoles
	case active && p.take("default"):
		st.choice = defaultRoles
	case active && p.take("all", "except"):
		st.choice = allRolesExcept
		p.list(func() { st.roles = append(st.roles, p.user()) })
	case p.take("all"):
		st.choice = allRoles
	default:
		p.list(func() { st.roles = append(st.roles, p.user()) })
	}
}

// privilege reads the name of a privilege. If there is none, it reports false and reads nothing.
func (p *parser) privilege() (Privilege, bool) {
	if p.at.kind != word {
		return 0, false
	}
	best, words := Privilege(0), 0
	for q := range firstDynamic {
		name := strings.Fields(strings.ToLower(privilegeNames[q]))
		pos, at := p.pos, p.at
		if len(name) > words && p.take(name...) {
			best, words = q, len(name)
		}
		p.pos, p.at = pos, at
	}
	if words > 0 {
		for range words {
			p.next()
		}
		return best, true
	}
	if q, ok := dynamicNamed(p.at.s); ok {
		p.next()
		return q, true
	}
	return 0, false
}

// privilegesOrRoles reads what is granted or revoked, and reports whether it is roles.
func (p *parser) privilegesOrRoles(st *Statement) (roles bool) {
	if p.take("all", "privileges") || p.take("all") {
		st.all = true
		return false
	}
	if p.take("proxy") {
		st.on.kind = onProxy
		return false
	}
	start, at := p.pos, p.at
	err := p.catchFailure(func() {
		p.list(func() {
			q, ok := p.privilege()
			switch {
			case ok:
				g := grantSpec{privilege: q}
				if p.take("(") {
					p.list(func() { g.columns = append(g.columns, p.name()) })
					p.want(")")
				}
				st.grants = append(st.grants, g)
			case p.take("usage"):
			default:
				p.fail()
			}
		})
		if !p.is("on") && !p.is("from") {
			p.fail()
		}
	})
	if err == nil {
		return false
	}
	// Names that are not privileges are roles.
	first := err
	p.pos, p.at, st.grants = start, at, nil
	if err := p.catchFailure(func() { p.list(func() { st.roles = append(st.roles, p.user()) }) }); err != nil {
		panic(failure{first})
	}
	if p.is("on") { // an unknown dynamic privilege
		for _, r := range st.roles {
			if q, ok := dynamicNamed(r.User); !ok || !q.Dynamic() {
				panic(failure{sqlError(3929, "HY000", "Dynamic privilege `%s` is not registered with the server.", strings.ToUpper(r.User))})
			}
		}
	}
	return true
}

// object reads the target of a grant, after ON.
func (p *parser) object(st *Statement) {
	switch {
	case p.take("table"):
	case p.take("procedure"):
		st.on.kind = onProcedure
	case p.take("function"):
		st.on.kind = onFunction
	}
	routine := st.on.kind == onProcedure || st.on.kind == onFunction
	if !routine && p.take("*") {
		st.on.kind = onSchema // the current database
		if p.take(".") {
			p.want("*")
			st.on.kind = onGlobal
		}
		return
	}
	first := p.name()
	if !p.take(".") {
		st.on.name = first
		if !routine {
			st.on.kind = onTable
		}
		return
	}
	st.on.schema = first
	if !routine && p.take("*") {
		st.on.kind = onSchema
		return
	}
	if st.on.name = p.name(); !routine {
		st.on.kind = onTable
	}
}

func (p *parser) grant(st *Statement) {
	st.Kind = "grant"
	if p.privilegesOrRoles(st) {
		st.Kind = "grant_roles"
		p.want("to")
		p.list(func() { st.users = append(st.users, p.user()) })
		st.withOption = p.take("with", "admin", "option")
		return
	}
	if st.on.kind == onProxy {
		panic(failure{errUnsupported("GRANT PROXY")})
	}
	p.want("on")
	p.object(st)
	p.want("to")
	p.list(func() { st.users = append(st.users, p.user()) })
	if p.is("identified") {
		p.fail()
	}
	st.withOption = p.take("with", "grant", "option")
	if p.is("as") {
		panic(failure{errUnsupported("GRANT ... AS")})
	}
}

func (p *parser) revoke(st *Statement) {
	st.Kind = "revoke"
	st.ifExists = p.take("if", "exists")
	if p.take("all", "privileges", ",", "grant", "option", "from") || p.take("all", ",", "grant", "option", "from") {
		st.Kind, st.all, st.withOption = "revoke_all", true, true
	} else if p.privilegesOrRoles(st) {
		st.Kind = "revoke_roles"
		p.want("from")
	} else {
		if st.on.kind == onProxy {
			panic(failure{errUnsupported("REVOKE PROXY")})
		}
		p.want("on")
		p.object(st)
		p.want("from")
	}
	p.list(func() { st.users = append(st.users, p.user()) })
	st.ignoreUnknown = p.take("ignore", "unknown", "user")
}
