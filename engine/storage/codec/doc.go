// Package codec writes values of SQL columns as bytes: as keys, which sort as the server compares
// the values, and as rows.
//
// Three steps. Call [NewColumn] for each column. Call [Column.AppendKey] for values that are
// ordered, [Column.Bound] for the ends of ranges, and [Column.Interval] for ranges. Call [AppendRow] and [ReadRow] for rows. The
// package touches no files.
//
// A text's key is made of the weights that go-mysql-server's comparison of texts
// ([sql.CollationID.Sorter]) uses, so that both agree. [WeightsVersion] returns a number that
// identifies a collation's weights: keys made with other weights cannot be used.
//
// Begin reading with column.go; key.go has the order of keys, bound.go the ends of ranges,
// interval.go the ranges, row.go the rows. Columns are safe for concurrent use. No function keeps its arguments.
//
// Called by storage and storage/record. Calls charge and sqlvalue.
package codec
