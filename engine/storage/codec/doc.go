// Package codec writes values of SQL columns as bytes: keys, which sort as the server compares the values, and rows.
//
// Three steps. [NewColumn] for each column; [Column.AppendKey] for what is to be ordered, [Column.Bound] for the end
// of a range; [AppendRow] and [ReadRow] for rows. It touches no files. Package storage calls it.
//
// A text's key is made of the weights that go-mysql-server's comparison of texts ([sql.CollationID.Sorter]) uses, so both agree.
// [WeightsVersion] is a number for a collation's weights: keys made by other weights are of no use.
//
// Begin reading with column.go; key.go has the order, bound.go the ends of ranges, row.go the rows. Columns are safe for
// concurrent use; nothing here keeps what it is given.
//
// Called by storage.
package codec
