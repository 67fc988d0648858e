package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage/codec"
	"pfsd/engine/storage/record"
	"pfsd/engine/txkv"
)

// cover says how to make the rows of a table of the entries of an index alone. Owned by one goroutine.
type cover struct {
	columns []int // of the index, and then of the primary key
	places  []int // of these in the rows, negative for one that nobody reads
	entry   int   // how many of them are in the key of an entry; the others are in its value
}

// coverOf returns how an index has all columns of the rows that wants tells of; nil if it does not.
func (d *definition) coverOf(x *record.Index, wanted func(column int) int) *cover {
	if x.Prefixes != nil || d.keyless() {
		return nil
	}
	c := &cover{columns: append(slices.Clone(x.Columns), d.record.PrimaryKey...), entry: len(x.Columns)}
	for _, column := range c.columns {
		if !d.columns[column].InKey() { // so that what follows it can be read
			return nil
		}
		c.places = append(c.places, wanted(column))
	}
	for column := range d.columns {
		if wanted(column) >= 0 && !slices.Contains(c.columns, column) {
			return nil
		}
	}
	return c
}

// covering returns how the entries of the index have all that the statement reads; nil if it has to read the rows: it locks them, the entries
// may be of other versions of the rows than it sees, or there are columns that the entries do not have.
func (r *rows) covering() *cover {
	if r.index == nil || r.box != nil || r.how != consistent || r.t.options.Isolation == txkv.ReadUncommitted {
		return nil
	}
	return r.table.def.coverOf(r.index, func(column int) int {
		if r.table.places == nil {
			return column
		}
		return r.table.places[column]
	})
}

// row makes a row of an entry.
func (c *cover) row(row sql.Row, columns []codec.Column, key, value []byte) error {
	rest := key[prefixSize:]
	for i, column := range c.columns {
		if i == c.entry {
			rest = value
		}
		v, next, err := columns[column].KeyValue(rest)
		if err != nil {
			return err
		}
		rest = next
		if c.places[i] >= 0 {
			row[c.places[i]] = v
		}
	}
	return nil
}

// Covers implements usertables.Coverer.
func (t *Table) Covers(index string, columns []string) bool {
	i := t.def.record.FindIndex(index)
	if i < 0 || !t.def.record.Indexes[i].Stored() {
		return false
	}
	return t.def.coverOf(&t.def.record.Indexes[i], func(column int) int {
		return slices.IndexFunc(columns, func(name string) bool { return strings.EqualFold(name, t.def.record.Columns[column].Name) })
	}) != nil
}
