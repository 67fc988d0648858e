package privilege

import (
	"fmt"
	"slices"
	"strings"

	"pfsd/engine/accounts"
)

// Scope is where an account has to have what a rule asks for, and with which error it is refused.
type Scope uint8

// The scopes. Each names the number of the error for an account that lacks something.
const (
	// Everybody may: the rule asks for nothing.
	Everybody Scope = iota
	// Tables is for queries and changes of rows: each table that they name is asked about by itself, as a clause of the
	// kind Row, when it is known whether the name means a table, a view, or something that the statement itself defines.
	Tables
	// Accounts is for statements about accounts, which depend on the accounts that they name: package accounts asks.
	Accounts
	// Nobody may: the grammar has the statement, and MySQL's has not.
	Nobody
	// Server is for the whole server: 1227.
	Server
	// All is as Server, but all privileges are needed and not one of them: 3630.
	All
	// File is for the files of the server: 1045, in the words of a login.
	File
	// Recovery is for prepared transactions: 1401.
	Recovery
	// Schema is a database: 1044.
	Schema
	// SchemaSeen is a database on which, or on something in which, the account has any privilege: 1044.
	SchemaSeen
	// Table is a table or a view: 1142. A privilege on one of its columns counts.
	Table
	// TableSeen is a table on which, or on a column of which, the account has any privilege: 1142.
	TableSeen
	// TableAny is a table on which, and not only on a column of which, the account has one of the privileges: 1142.
	TableAny
	// Columns are columns of a table, all of which count: 1142.
	Columns
	// Routine is a procedure, Function a function: 1370.
	Routine
	Function
)

var scopeNames = []string{
	"everybody", "tables", "accounts", "nobody", "server", "all", "file", "recovery", "schema", "schema-seen", "table", "table-seen", "table-any", "columns",
	"routine", "function",
}

// String is the scope as the table has it.
func (s Scope) String() string { return scopeNames[s] }

// Rule is what a clause of a kind of statement needs.
type Rule struct {
	// Kind is what MySQL calls the statement, the last part of statement/sql/KIND; Row is for the tables of queries.
	Kind string
	// Clause is what of the statement the rule is for; Whole is the statement as a whole.
	Clause string
	Scope  Scope
	// Needs are the privileges: all of them, or one of them where the scope is the whole server.
	Needs accounts.Set
	// names are those of Needs, in the order of the table; with TableSeen and TableAny the words of the error.
	names []string
}

// Whole is the clause that each statement has.
const Whole = "-"

// Object is what a clause is about: a database, and something in it.
type Object struct {
	Schema, Name string
	// Columns are those that the clause names, where it names some.
	Columns []string
	// Given is what everybody may do with it, whatever has been granted.
	Given accounts.Set
}

type key struct{ kind, clause string }

// For returns the rules for a clause of a kind of statement, in the order in which they are to be asked; nil if the
// statement must not be carried out.
func For(kind, clause string) []Rule { return rules[key{kind, clause}] }

// Known tells whether there are rules for a kind of statement.
func Known(kind string) bool { return kinds[kind] }

// Rules returns all rules, in the order of the table.
func Rules() []Rule { return slices.Clone(ordered) }

// Missing tells what an account lacks for an object, in the words of the error for the rule's scope; "" is nothing. A nil
// access is that of the server itself, which may do everything.
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
		return names(r.Needs.Without(a.Schema(o.Schema).With(o.Given)))
	case SchemaSeen:
		if !a.SeesSchema(o.Schema) && o.Given.Empty() {
			return o.Schema
		}
	case Table:
		have := a.Table(o.Schema, o.Name).With(a.AnyColumn(o.Schema, o.Name)).With(o.Given)
		return names(r.Needs.Without(have))
	case TableSeen:
		if !a.SeesTable(o.Schema, o.Name) && o.Given.Empty() {
			return r.names[0]
		}
	case TableAny:
		if !a.Table(o.Schema, o.Name).With(o.Given).HasAny(r.Needs) {
			return r.names[0]
		}
	case Columns:
		return r.missingColumns(a, o)
	case Routine, Function:
		return strings.ToLower(names(r.Needs.Without(a.Routine(o.Schema, o.Name, r.Scope == Function).With(o.Given))))
	}
	return ""
}

func (r *Rule) missingColumns(a *accounts.Access, o Object) string {
	lacks := r.Needs.Without(a.Table(o.Schema, o.Name).With(o.Given))
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

// oneOf are names of which one is enough.
func oneOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func names(s accounts.Set) string { return strings.Join(s.Names(), ", ") }

// parse reads a table of rules: a line has the kinds with commas between, the clause, the scope and the privileges, with
// a bar between those of which one is enough and a plus between those of which all are needed. Where an error does not name
// them, its words come before them, with a colon.
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
