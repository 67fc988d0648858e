package compat

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// UniqueTexts are the values of the unique keys of a table that have texts, as their
// collations see them.
//
// go-mysql-server: the memory tables compare keys by their bytes, and take rows whose keys are equal
// but not the same. MySQL: an error, 1062.
//
// Owned by one goroutine, from the first row that a statement writes to its last one.
type UniqueTexts struct {
	table  string
	schema sql.Schema
	keys   []uniqueText
}

// DuplicateEntry is what the text of an error of Check begins with, which is MySQL's.
const DuplicateEntry = "Duplicate entry '"

// uniqueText is one of the keys.
type uniqueText struct {
	name     string
	columns  []int
	prefixes []uint16           // in characters, 0 is all; fewer than columns, or none
	rows     map[string]sql.Row // by what their keys weigh
}

// NewUniqueTexts returns the keys of t's rows; nil if no unique key of t has a text.
func NewUniqueTexts(ctx *sql.Context, t *memory.Table) (*UniqueTexts, error) {
	schema := t.Schema(ctx)
	u := &UniqueTexts{table: t.Name(), schema: schema}
	primary := uniqueText{name: "PRIMARY"}
	for i, c := range schema {
		if c.PrimaryKey {
			primary.columns = append(primary.columns, i)
		}
	}
	u.add(primary)
	indexes, err := t.GetIndexes(ctx)
	if err != nil {
		return nil, err
	}
	for _, index := range indexes {
		if !index.IsUnique() || index.ID() == "PRIMARY" {
			continue
		}
		key := uniqueText{name: index.ID(), prefixes: index.PrefixLengths()}
		for _, e := range index.Expressions() {
			key.columns = append(key.columns, schema.IndexOfColName(e[strings.LastIndexByte(e, '.')+1:]))
		}
		u.add(key)
	}
	if len(u.keys) == 0 {
		return nil, nil
	}
	partitions, err := t.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	rows := sql.NewTableRowIter(ctx, t, partitions)
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return u, rows.Close(ctx)
		}
		if err != nil {
			return nil, err
		}
		u.put(ctx, row)
	}
}

// add adds a key if it has a text whose collation is not binary.
func (u *UniqueTexts) add(key uniqueText) {
	texts := false
	for _, i := range key.columns {
		if i < 0 || u.schema[i].Virtual {
			return
		}
		_, folds := Folding(u.schema[i].Type)
		texts = texts || folds
	}
	if texts {
		key.rows = map[string]sql.Row{}
		u.keys = append(u.keys, key)
	}
}

// Folding is the collation of a type whose texts can be equal though they are not the same.
func Folding(t sql.Type) (sql.CollationID, bool) {
	s, ok := t.(sql.TypeWithCollation)
	if !ok || !types.IsTextOnly(t) || strings.HasSuffix(s.Collation().Name(), "bin") || s.Collation() == sql.Collation_binary {
		return 0, false
	}
	return s.Collation(), true
}

// Check returns the error that a row which is going to be written makes.
func (u *UniqueTexts) Check(ctx *sql.Context, row sql.Row) error {
	for _, k := range u.keys {
		key, ok := k.of(ctx, u.schema, row)
		if existing, there := k.rows[key]; ok && there {
			values := make([]string, len(k.columns))
			for i, c := range k.columns {
				values[i] = fmt.Sprint(row[c])
			}
			said := fmt.Sprintf("%s%s' for key '%s.%s'", DuplicateEntry, strings.Join(values, "-"), u.table, k.name)
			return sql.NewUniqueKeyErr(said, k.name == "PRIMARY", existing)
		}
	}
	return nil
}

// Replace notes that row stands where old stood. Either is nil if there is none.
func (u *UniqueTexts) Replace(ctx *sql.Context, old, row sql.Row) {
	if old != nil {
		for _, k := range u.keys {
			if key, ok := k.of(ctx, u.schema, old); ok {
				delete(k.rows, key)
			}
		}
	}
	if row != nil {
		u.put(ctx, row)
	}
}

func (u *UniqueTexts) put(ctx *sql.Context, row sql.Row) {
	for _, k := range u.keys {
		if key, ok := k.of(ctx, u.schema, row); ok {
			k.rows[key] = row
		}
	}
}

// of is what the key of row weighs; false if part of it is NULL.
func (k uniqueText) of(ctx *sql.Context, schema sql.Schema, row sql.Row) (string, bool) {
	var key []byte
	for i, c := range k.columns {
		if row[c] == nil {
			return "", false
		}
		part := fmt.Append(nil, row[c])
		if collation, ok := Folding(schema[c].Type); ok {
			if i < len(k.prefixes) && k.prefixes[i] > 0 {
				if r := []rune(string(part)); len(r) > int(k.prefixes[i]) {
					part = []byte(string(r[:k.prefixes[i]]))
				}
			}
			if w, _, err := weigh(ctx, string(part), collation); err == nil {
				part = w
			}
		}
		key = append(binary.AppendUvarint(key, uint64(len(part))), part...)
	}
	return string(key), true
}
