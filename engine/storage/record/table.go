package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/fulltext"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/sqlvalue"
)

// PrimaryID is the number of the primary key, where an index has its number.
const PrimaryID uint16 = 0

// Column is a column in the form in which it is stored.
type Column struct {
	Name string
	Type string
	// Values are the values of an ENUM or SET.
	Values    []string `json:",omitempty"`
	Collation string   `json:",omitempty"`
	// SRID is the SRID of a geometry column, if it has one.
	SRID *uint32 `json:",omitempty"`

	Nullable      bool    `json:",omitempty"`
	PrimaryKey    bool    `json:",omitempty"`
	AutoIncrement bool    `json:",omitempty"`
	Virtual       bool    `json:",omitempty"`
	Hidden        bool    `json:",omitempty"`
	HiddenSystem  bool    `json:",omitempty"`
	Default       *string `json:",omitempty"`
	Generated     *string `json:",omitempty"`
	OnUpdate      *string `json:",omitempty"`
	Comment       string  `json:",omitempty"`
	Extra         string  `json:",omitempty"`
}

// Index is an index in the form in which it is stored. The primary key has no Index.
type Index struct {
	ID      uint16
	Name    string
	Columns []int
	// Prefixes are the lengths of the columns' prefixes, in characters, or in bytes for binary
	// columns; 0 means the whole column. It has as many elements as columns, or none.
	Prefixes []uint16 `json:",omitempty"`
	Unique   bool     `json:",omitempty"`
	Spatial  bool     `json:",omitempty"`
	Vector   bool     `json:",omitempty"`
	Comment  string   `json:",omitempty"`
	// Fulltext is nil for all other indexes.
	Fulltext *Fulltext `json:",omitempty"`
}

// Fulltext names the tables that keep the words of a full text index.
type Fulltext struct {
	Tables fulltext.IndexTableNames
	Keys   fulltext.KeyColumns
}

// TableNames returns the names of the tables.
func (f *Fulltext) TableNames() []string {
	n := f.Tables
	return []string{n.Config, n.Position, n.DocCount, n.GlobalCount, n.RowCount}
}

// Stored tells whether the index has entries of its own.
func (x *Index) Stored() bool { return !x.Spatial && !x.Vector && x.Fulltext == nil }

// Table is a table in the form in which it is stored.
type Table struct {
	Name       string
	ID         uint32
	Columns    []Column
	PrimaryKey []int   `json:",omitempty"`
	Indexes    []Index `json:",omitempty"`
	NextIndex  uint16  // the number of the next index
	Collation  string  `json:",omitempty"`
	Comment    string  `json:",omitempty"`
	Created    time.Time
	Checks     []sql.CheckDefinition `json:",omitempty"`
	// Weights are the versions of the collations' weights that the keys were made with, by
	// collation name.
	Weights map[string]uint64 `json:",omitempty"`
}

// Clone returns a copy that may be changed, except what pointers of its columns point to.
func (r *Table) Clone() *Table {
	c := *r
	c.Columns = slices.Clone(r.Columns)
	c.PrimaryKey = slices.Clone(r.PrimaryKey)
	c.Checks = slices.Clone(r.Checks)
	c.Indexes = slices.Clone(r.Indexes)
	return &c
}

// FindColumn returns the place of a column, or a negative number if there is none.
func (r *Table) FindColumn(name string) int {
	return slices.IndexFunc(r.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
}

// FindIndex returns the place of an index, or a negative number if there is none.
func (r *Table) FindIndex(name string) int {
	return slices.IndexFunc(r.Indexes, func(x Index) bool { return strings.EqualFold(x.Name, name) })
}

// NewTable returns the record of a new table without indexes.
func NewTable(ctx *sql.Context, name string, id uint32, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) (*Table, error) {
	r := &Table{Name: name, ID: id, PrimaryKey: slices.Clone(schema.PkOrdinals), NextIndex: PrimaryID + 1, Collation: CollationName(collation), Comment: comment, Created: time.Now()}
	for _, c := range schema.Schema {
		column, err := NewColumn(ctx, c)
		if err != nil {
			return nil, err
		}
		r.Columns = append(r.Columns, column)
	}
	for _, i := range r.PrimaryKey {
		r.Columns[i].PrimaryKey, r.Columns[i].Nullable = true, false
	}
	return r, nil
}

// CollationName returns the name of a collation; that of the default one if c is none.
func CollationName(c sql.CollationID) string {
	if c == sql.Collation_Unspecified {
		c = sql.Collation_Default
	}
	return c.Name()
}

func NewColumn(ctx *sql.Context, c *sql.Column) (Column, error) {
	t := c.Type
	if s, ok := t.(sql.SystemVariableType); ok {
		t = s.UnderlyingType()
	}
	r := Column{
		Name: c.Name, Type: t.String(), Nullable: c.Nullable, PrimaryKey: c.PrimaryKey, AutoIncrement: c.AutoIncrement, Virtual: c.Virtual, Hidden: c.Hidden,
		HiddenSystem: c.HiddenSystem, Comment: c.Comment, Extra: c.Extra,
		Default: expressionText(ctx, c.Default), Generated: expressionText(ctx, c.Generated), OnUpdate: expressionText(ctx, c.OnUpdate),
	}
	if s, ok := t.(sql.TypeWithCollation); ok {
		r.Collation = CollationName(s.Collation())
	}
	switch x := t.(type) {
	case sql.EnumType:
		r.Type, r.Values = "enum", x.Values()
	case sql.SetType:
		r.Type, r.Values = "set", x.Values()
	case sql.SpatialColumnType:
		if srid, ok := x.GetSpatialTypeSRID(); ok {
			r.SRID = &srid
		}
		r.Type, _, _ = strings.Cut(r.Type, " ")
	}
	if _, err := r.SQLType(); err != nil {
		return r, err
	}
	return r, nil
}

// expressionText returns a default value as text, with column names that do not name the table. It
// returns nil if there is no default.
func expressionText(ctx *sql.Context, d *sql.ColumnDefaultValue) *string {
	if d == nil {
		return nil
	}
	bare, _, err := transform.Expr(ctx, d, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if f, ok := e.(*expression.GetField); ok {
			named := expression.NewGetField(f.Index(), f.Type(ctx), f.Name(), f.IsNullable(ctx))
			return named.WithQuotedNames(sql.DefaultMySQLSchemaFormatter, f.IsQuotedIdentifier()), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	text := d.String()
	if err == nil {
		text = bare.String()
	}
	return &text
}

func expressionOf(text *string) *sql.ColumnDefaultValue {
	if text == nil {
		return nil
	}
	return sql.NewUnresolvedColumnDefaultValue(*text)
}

// SQLType returns the column's type.
func (r *Column) SQLType() (sql.Type, error) {
	collation := sql.Collation_Default
	if r.Collation != "" {
		var err error
		if collation, err = sql.ParseCollation("", r.Collation, false); err != nil {
			return nil, err
		}
	}
	switch r.Type {
	case "enum":
		return types.CreateEnumType(r.Values, collation)
	case "set":
		return types.CreateSetType(r.Values, collation)
	case "null":
		return types.CreateBinary(types.Blob.Type(), 0)
	}
	t, err := planbuilder.ParseColumnTypeString(r.Type)
	if err != nil {
		return nil, fmt.Errorf("type %s of column %s: %w", r.Type, r.Name, err)
	}
	if s, ok := t.(sql.TypeWithCollation); ok && r.Collation != "" && s.Collation() != collation {
		if t, err = s.WithNewCollation(collation); err != nil {
			return nil, err
		}
	}
	if s, ok := t.(sql.SpatialColumnType); ok && r.SRID != nil {
		t = s.SetSRID(*r.SRID)
	}
	return sqlvalue.ReadsSafely(t), nil
}

func (r *Column) SQLColumn(db, table string) (*sql.Column, error) {
	t, err := r.SQLType()
	if err != nil {
		return nil, err
	}
	return &sql.Column{
		Name: r.Name, Type: t, Source: table, DatabaseSource: db, Nullable: r.Nullable, PrimaryKey: r.PrimaryKey, AutoIncrement: r.AutoIncrement,
		Virtual: r.Virtual, Hidden: r.Hidden, HiddenSystem: r.HiddenSystem, Comment: r.Comment, Extra: r.Extra,
		Default: expressionOf(r.Default), Generated: expressionOf(r.Generated), OnUpdate: expressionOf(r.OnUpdate),
	}, nil
}
