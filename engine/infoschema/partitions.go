package infoschema

import "github.com/dolthub/go-mysql-server/sql"

// Partitions makes the rows of PARTITIONS: no table is partitioned, so each base table has one row without a partition.
func Partitions(info *Database) RowFunc {
	return func(ctx *sql.Context, schema, name string) (rows []sql.Row, err error) {
		schemas := []string{schema}
		if schema == "" {
			schemas = nil
			for _, db := range info.Catalog.AllDatabases(ctx) {
				schemas = append(schemas, db.Name())
			}
		}
		for _, of := range schemas {
			all, err := info.TableRows(ctx, of)
			if err != nil {
				return nil, err
			}
			for _, t := range all {
				if t[infoTableKind] != "BASE TABLE" || !inScope(of, cellText(t[infoTable]), schema, name) {
					continue
				}
				row := append(sql.Row{}, t[:infoTableKind]...) // TABLE_CATALOG, TABLE_SCHEMA and TABLE_NAME
				row = append(row, make(sql.Row, 9)...)
				row = append(row, t[infoCount:infoIncrement]...)
				rows = append(rows, append(row, t[infoCreated], t[infoCreated+1], t[infoCreated+2], t[infoChecksum], "", "", nil))
			}
		}
		return rows, nil
	}
}
