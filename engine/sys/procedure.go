package sys

import (
	"embed"
	"slices"
	"strings"
)

// Procedure is a stored procedure of the sys schema. It has the rights of who calls it.
type Procedure struct {
	// Name is its name, and Create the statement that makes it.
	Name, Create string
}

//go:embed procedures/*.sql
var procedureFiles embed.FS

// Procedures are all procedures, by name: each stands in a file that is named after it.
var Procedures = loadProcedures()

// HasProcedure tells whether there is a procedure of this name, in any letter case.
func HasProcedure(name string) bool {
	return slices.ContainsFunc(Procedures, func(p Procedure) bool { return strings.EqualFold(p.Name, name) })
}

func loadProcedures() (all []Procedure) {
	entries, err := procedureFiles.ReadDir("procedures")
	if err != nil {
		panic("sys: " + err.Error())
	}
	for _, e := range entries {
		text, err := procedureFiles.ReadFile("procedures/" + e.Name())
		if err != nil {
			panic("sys: " + err.Error())
		}
		rest, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "CREATE ")
		if !ok {
			panic("sys: " + e.Name() + ": it does not create anything")
		}
		all = append(all, Procedure{strings.TrimSuffix(e.Name(), ".sql"), "CREATE DEFINER=" + Definer + " " + strings.TrimSuffix(rest, ";")})
	}
	return all
}
