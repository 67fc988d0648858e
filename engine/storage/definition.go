package storage

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/storage/codec"

	"pfsd/engine/storage/record"
)

// definition is the definition of a table. It is made only from the stored record, so that it is
// the same after a restart. It never changes. Safe for concurrent use.
type definition struct {
	record  *record.Table
	db      string
	schema  sql.PrimaryKeySchema
	columns []codec.Column
	// virtual tells which columns are virtual; it is nil if none is.
	virtual []bool
	// indexes are the indexes of the record that have entries of their own.
	indexes []*record.Index
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

// errWeights is the error for a table whose keys another version of go-mysql-server's collations
// has made.
var errWeights = errors.New("the keys of its texts were made with other weights: dump it with the version that made it, and load it again")

// newDefinition makes the definition of a table from its record.
func newDefinition(db string, r *record.Table, state *tableState) (*definition, error) {
	d := &definition{record: r, db: db, auto: -1, state: state}
	schema := make(sql.Schema, len(r.Columns))
	for i := range r.Columns {
		c, err := r.Columns[i].SQLColumn(db, r.Name)
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
		if x.Stored() {
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
