package storage

import (
	"errors"
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
	"pfsd/engine/storage/codec"
)

// columnRecord is a column in the form in which it is stored.
type columnRecord struct {
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

// indexRecord is an index in the form in which it is stored. The primary key has no indexRecord.
type indexRecord struct {
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
	Fulltext *fulltextRecord `json:",omitempty"`
}

// fulltextRecord names the tables that keep the words of a full text index.
type fulltextRecord struct {
	Tables fulltext.IndexTableNames
	Keys   fulltext.KeyColumns
}

// tables returns the names of the tables.
func (f *fulltextRecord) tables() []string {
	n := f.Tables
	return []string{n.Config, n.Position, n.DocCount, n.GlobalCount, n.RowCount}
}

// stored tells whether the index has entries of its own.
func (x *indexRecord) stored() bool { return !x.Spatial && !x.Vector && x.Fulltext == nil }

// tableRecord is a table in the form in which it is stored.
type tableRecord struct {
	Name       string
	ID         uint32
	Columns    []columnRecord
	PrimaryKey []int         `json:",omitempty"`
	Indexes    []indexRecord `json:",omitempty"`
	NextIndex  uint16        // the number of the next index
	Collation  string        `json:",omitempty"`
	Comment    string        `json:",omitempty"`
	Created    time.Time
	Checks     []sql.CheckDefinition `json:",omitempty"`
	// Weights are the versions of the collations' weights that the keys were made with, by
	// collation name.
	Weights map[string]uint64 `json:",omitempty"`
}

// clone returns a copy that may be changed, except what pointers of its columns point to.
func (r *tableRecord) clone() *tableRecord {
	c := *r
	c.Columns = slices.Clone(r.Columns)
	c.PrimaryKey = slices.Clone(r.PrimaryKey)
	c.Checks = slices.Clone(r.Checks)
	c.Indexes = slices.Clone(r.Indexes)
	return &c
}

// column returns the place of a column, or a negative number if there is none.
func (r *tableRecord) column(name string) int {
	return slices.IndexFunc(r.Columns, func(c columnRecord) bool { return strings.EqualFold(c.Name, name) })
}

// index returns the place of an index, or a negative number if there is none.
func (r *tableRecord) index(name string) int {
	return slices.IndexFunc(r.Indexes, func(x indexRecord) bool { return strings.EqualFold(x.Name, name) })
}

// definition is the definition of a table. It is made only from the stored record, so that it is
// the same after a restart. It never changes. Safe for concurrent use.
type definition struct {
	record  *tableRecord
	db      string
	schema  sql.PrimaryKeySchema
	columns []codec.Column
	// virtual tells which columns are virtual; it is nil if none is.
	virtual []bool
	// indexes are the indexes of the record that have entries of their own.
	indexes []*indexRecord
	auto    int // place of the AUTO_INCREMENT column, negative if there is none
	state   *tableState
	// since is the version of the provider at the last change of the table.
	since uint64
	// fulltext tells whether the table has a full text index.
	fulltext bool
}

func (d *definition) name() string    { return d.record.Name }
func (d *definition) keyless() bool   { return len(d.record.PrimaryKey) == 0 }
func (d *definition) prefix() []byte  { return prefix(d.record.ID, primaryID) }
func (d *definition) temporary() bool { return d.state.temporary }

// newRecord returns the record of a new table without indexes.
func newRecord(ctx *sql.Context, name string, id uint32, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) (*tableRecord, error) {
	r := &tableRecord{Name: name, ID: id, PrimaryKey: slices.Clone(schema.PkOrdinals), NextIndex: primaryID + 1, Collation: collationName(collation), Comment: comment, Created: time.Now()}
	for _, c := range schema.Schema {
		column, err := newColumnRecord(ctx, c)
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

func collationName(c sql.CollationID) string {
	if c == sql.Collation_Unspecified {
		c = sql.Collation_Default
	}
	return c.Name()
}

func newColumnRecord(ctx *sql.Context, c *sql.Column) (columnRecord, error) {
	t := c.Type
	if s, ok := t.(sql.SystemVariableType); ok {
		t = s.UnderlyingType()
	}
	r := columnRecord{
		Name: c.Name, Type: t.String(), Nullable: c.Nullable, PrimaryKey: c.PrimaryKey, AutoIncrement: c.AutoIncrement, Virtual: c.Virtual, Hidden: c.Hidden,
		HiddenSystem: c.HiddenSystem, Comment: c.Comment, Extra: c.Extra,
		Default: expressionText(ctx, c.Default), Generated: expressionText(ctx, c.Generated), OnUpdate: expressionText(ctx, c.OnUpdate),
	}
	if s, ok := t.(sql.TypeWithCollation); ok {
		r.Collation = collationName(s.Collation())
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
	if _, err := r.sqlType(); err != nil {
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

// sqlType returns the column's type.
func (r *columnRecord) sqlType() (sql.Type, error) {
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

func (r *columnRecord) sqlColumn(db, table string) (*sql.Column, error) {
	t, err := r.sqlType()
	if err != nil {
		return nil, err
	}
	return &sql.Column{
		Name: r.Name, Type: t, Source: table, DatabaseSource: db, Nullable: r.Nullable, PrimaryKey: r.PrimaryKey, AutoIncrement: r.AutoIncrement,
		Virtual: r.Virtual, Hidden: r.Hidden, HiddenSystem: r.HiddenSystem, Comment: r.Comment, Extra: r.Extra,
		Default: expressionOf(r.Default), Generated: expressionOf(r.Generated), OnUpdate: expressionOf(r.OnUpdate),
	}, nil
}

// errWeights is the error for a table whose keys another version of go-mysql-server's collations
// has made.
var errWeights = errors.New("the keys of its texts were made with other weights: dump it with the version that made it, and load it again")

// newDefinition makes the definition of a table from its record.
func newDefinition(db string, r *tableRecord, state *tableState) (*definition, error) {
	d := &definition{record: r, db: db, auto: -1, state: state}
	schema := make(sql.Schema, len(r.Columns))
	for i := range r.Columns {
		c, err := r.Columns[i].sqlColumn(db, r.Name)
		if err != nil {
			return nil, fmt.Errorf("table %s.%s: %w", db, r.Name, err)
		}
		schema[i] = c
		d.columns = append(d.columns, codec.NewColumn(c.Type))
		if c.AutoIncrement {
			d.auto = i
		}
		if c.Virtual {
			if d.virtual == nil {
				d.virtual = make([]bool, len(r.Columns))
			}
			d.virtual[i] = true
		}
	}
	d.schema = sql.NewPrimaryKeySchema(schema, r.PrimaryKey...)
	keyed := slices.Clone(r.PrimaryKey)
	for i := range r.Indexes {
		x := &r.Indexes[i]
		d.fulltext = d.fulltext || x.Fulltext != nil
		if x.stored() {
			d.indexes = append(d.indexes, x)
			keyed = append(keyed, x.Columns...)
		}
	}
	weights := map[string]uint64{}
	for _, i := range keyed {
		if !d.columns[i].Indexable() {
			return nil, fmt.Errorf("table %s.%s: column %s cannot be in a key", db, r.Name, r.Columns[i].Name)
		}
		if c, ok := d.columns[i].Collation(); ok {
			weights[c.Name()] = codec.WeightsVersion(c)
		}
	}
	for name, version := range r.Weights {
		if now, used := weights[name]; used && now != version {
			return nil, fmt.Errorf("table %s.%s, collation %s: %w", db, r.Name, name, errWeights)
		}
	}
	r.Weights = weights
	return d, nil
}

// collation returns the table's default collation.
func (d *definition) collation() sql.CollationID {
	c, err := sql.ParseCollation("", d.record.Collation, false)
	if err != nil {
		return sql.Collation_Default
	}
	return c
}
