package privilege

import (
	"fmt"
	"slices"
	"strings"

	"pfsd/engine/accounts"
)

// Scope is the level on which an account needs the privileges of a rule. It determines the error.
type Scope uint8

// The scopes, each with the number of its error.
const (
	// Everybody needs no privilege.
	Everybody Scope = iota
	// Tables is for queries and changes of rows: each table is checked by itself, as a clause of
	// the kind Row, once it is known whether its name is that of a table, a view, or a common table
	// expression.
	Tables
	// Accounts is for statements about accounts: package accounts checks them, as the privileges
	// depend on the accounts named.
	Accounts
	// Nobody may run it: the parser accepts the statement, MySQL's does not.
	Nobody
	// Server is for global privileges, one of which suffices: 1227.
	Server
	// All is for global privileges, all of which are needed: 3630.
	All
	// File is for files on the server: 1045, the error of a failed login.
	File
	// Recovery is for prepared transactions: 1401.
	Recovery
	// Schema is a database: 1044.
	Schema
	// SchemaSeen is a database; any privilege on it or on something in it suffices: 1044.
	SchemaSeen
	// Table is a table or a view; the privileges are needed on the table itself: 1142.
	Table
	// TablePart is a table or a view; privileges on some of its columns suffice: 1142. It is for
	// statements whose columns are checked by themselves.
	TablePart
	// TableSeen is a table; any privilege on it or on one of its columns suffices: 1142.
	TableSeen
	// TableAny is a table; one of the privileges is needed on the table itself: 1142.
	TableAny
	// Columns are columns of a table; the privileges are needed on each of them: 1142.
	Columns
	// Routine is a procedure, Function a function: 1370.
	Routine
	Function
)

var scopeNames = []string{
	"everybody", "tables", "accounts", "nobody", "server", "all", "file", "recovery", "schema", "schema-seen", "table", "table-part", "table-seen", "table-any", "columns",
	"routine", "function",
}

// String returns the scope's name in the table of rules.
func (s Scope) String() string { return scopeNames[s] }

// Rule has the privileges that a clause of a kind of statement needs.
type Rule struct {
	// Kind is the last part of the statement's instrument, statement/sql/KIND; Row is for the
	// tables of queries.
	Kind string
	// Clause is the part of the statement; Whole is the statement as a whole.
	Clause string
	Scope  Scope
	// Needs are the privileges: all of them, or one of them for the scopes Server, File, Recovery
	// and TableAny.
	Needs accounts.Set
	// names are the names of Needs in the order of the table; for TableSeen and TableAny, the words
	// of the error.
	names []string
}

// Whole is the clause that each statement has.
const Whole = "-"

// Object is the object of a clause: a database, or something in it.
type Object struct {
	Schema, Name string
	// Columns are the columns that the clause names, if any.
	Columns []string
	// GrantedToAll are the privileges that everybody has on it, without a grant.
	GrantedToAll accounts.Set
}

type key struct{ kind, clause string }

// For returns the rules for a clause of a kind of statement, in the order in which they are
// checked; nil if the statement must be refused.
func For(kind, clause string) []Rule { return rules[key{kind, clause}] }

// Known reports whether there are rules for a kind of statement.
func Known(kind string) bool { return kinds[kind] }

// Rules returns all rules, in the order of the table.
func Rules() []Rule { return slices.Clone(ordered) }

// Missing returns the privileges that an account lacks for an object, in the words of the scope's
// error; "" if none. A nil access is that of the server itself, which may do everything.
func (r *Rule) Missing(a *accounts.Access, o Object) string {
	if a == nil {
		return ""
	}
	switch r.Scope {
	case Nobody:
		return accounts.Super.String()
	case Server, File, Recovery:
		if !a.Global().HasAny(r.Needs) {
			return oneOf(r.names)
		}
	case All:
		if !a.Global().HasAll(r.Needs) {
			return strings.Join(r.names, " and ")
		}
	case Schema:
		return names(r.Needs.Without(a.Schema(o.Schema).With(o.GrantedToAll)))
	case SchemaSeen:
		if !a.SeesSchema(o.Schema) && o.GrantedToAll.Empty() {
			return o.Schema
		}
	case Table:
		return names(r.Needs.Without(a.Table(o.Schema, o.Name).With(o.GrantedToAll)))
	case TablePart:
		have := a.Table(o.Schema, o.Name).With(a.AnyColumn(o.Schema, o.Name)).With(o.GrantedToAll)
		return names(r.Needs.Without(have))
	case TableSeen:
		if !a.SeesTable(o.Schema, o.Name) && o.GrantedToAll.Empty() {
			return r.names[0]
		}
	case TableAny:
		if !a.Table(o.Schema, o.Name).With(o.GrantedToAll).HasAny(r.Needs) {
			return r.names[0]
		}
	case Columns:
		return r.missingColumns(a, o)
	case Routine, Function:
		return strings.ToLower(names(r.Needs.Without(a.Routine(o.Schema, o.Name, r.Scope == Function).With(o.GrantedToAll))))
	}
	return ""
}

func (r *Rule) missingColumns(a *accounts.Access, o Object) string {
	lacks := r.Needs.Without(a.Table(o.Schema, o.Name).With(o.GrantedToAll))
	if lacks.Empty() {
		return ""
	}
	for _, c := range o.Columns {
		if !a.Column(o.Schema, o.Name, c).HasAll(lacks) {
			return names(lacks)
		}
	}
	if len(o.Columns) == 0 {
		return names(lacks)
	}
	return ""
}

// oneOf joins names of which one suffices.
func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func names(s accounts.Set) string { return strings.Join(s.Names(), ", ") }

// parse parses a table of rules. A line has the kinds, separated by commas, the clause, the scope,
// and the privileges: separated by | if one of them suffices, by + if all are needed. If the error
// has other words than their names, these words and a colon precede them.
func parse(text string) (all []Rule) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) < 3 || len(f) > 4 {
			panic(fmt.Sprintf("privilege: a rule has three or four words: %q", line))
		}
		r := Rule{Clause: f[1], Scope: Scope(slices.Index(scopeNames, f[2]))}
		if int(r.Scope) >= len(scopeNames) {
			panic(fmt.Sprintf("privilege: no scope %q", f[2]))
		}
		if needs := r.Scope >= Server && r.Scope != SchemaSeen; needs != (len(f) == 4) {
			panic(fmt.Sprintf("privilege: scope %s with wrong privileges: %q", f[2], line))
		}
		switch {
		case r.Scope == TableSeen:
			r.names = f[3:]
		case len(f) == 4:
			words, privileges, own := strings.Cut(f[3], ":")
			if !own {
				words, privileges = "", f[3]
			}
			for name := range strings.FieldsFuncSeq(privileges, func(c rune) bool { return c == '|' || c == '+' }) {
				p, ok := accounts.Named(name)
				if !ok {
					panic(fmt.Sprintf("privilege: no privilege %q", name))
				}
				r.Needs = r.Needs.With(accounts.SetOf(p))
				r.names = append(r.names, p.String())
			}
			if own {
				r.names = []string{strings.ReplaceAll(words, "_", " ")}
			}
		}
		for kind := range strings.SplitSeq(f[0], ",") {
			r.Kind = kind
			all = append(all, r)
		}
	}
	return all
}

var (
	ordered = parse(table)
	rules   = func() map[key][]Rule {
		m := map[key][]Rule{}
		for _, r := range ordered {
			k := key{r.Kind, r.Clause}
			m[k] = append(m[k], r)
		}
		return m
	}()
	kinds = func() map[string]bool {
		m := map[string]bool{}
		for _, r := range ordered {
			m[r.Kind] = true
		}
		return m
	}()
)
