package executor

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
)

func TestSchemaFormatter(t *testing.T) {
	plain := &sql.MySqlSchemaFormatter{}
	create := func(f sql.SchemaFormatter, comment string) string {
		return f.GenerateCreateTableStatement("t", nil, "", "", "utf8mb4", "utf8mb4_bin", comment)
	}
	col := &sql.Column{Name: "a", Type: types.Int32, Nullable: true}
	if strings.Contains(plain.GenerateCreateTableColumnDefinition(col, "", "", sql.Collation_Default), "DEFAULT NULL") {
		mendtest.NoLongerNeeded(t, "GenerateCreateTableColumnDefinition in schemaformat.go")
	}
	f := SchemaFormatter{plain}
	if got := f.GenerateCreateTableColumnDefinition(col, "", "", sql.Collation_Default); got != "  `a` int DEFAULT NULL" {
		t.Errorf("got %q", got)
	}
	bin := &sql.Column{Name: "b", Type: types.MustCreateString(types.Text.Type(), 10, sql.Collation_utf8mb4_bin)}
	if strings.Contains(plain.GenerateCreateTableColumnDefinition(bin, "", "", sql.Collation_Default), "CHARACTER SET") {
		mendtest.NoLongerNeeded(t, "the character set in schemaformat.go")
	}
	if got := f.GenerateCreateTableColumnDefinition(bin, "", "", sql.Collation_Default); !strings.Contains(got, " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin") {
		t.Errorf("got %q", got)
	}
	stamp := &sql.Column{Name: "a`b", Type: types.MustCreateDatetimeType(types.Timestamp.Type(), 6), Nullable: true}
	if strings.Contains(plain.GenerateCreateTableColumnDefinition(stamp, "", "", sql.Collation_Default), " NULL") {
		mendtest.NoLongerNeeded(t, "the TIMESTAMP in schemaformat.go")
	}
	if got, want := f.GenerateCreateTableColumnDefinition(stamp, "", "", sql.Collation_Default), "  `a``b` timestamp(6) NULL DEFAULT NULL"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stamp.Default = &sql.ColumnDefaultValue{}
	if got, want := f.GenerateCreateTableColumnDefinition(stamp, "NOW()", "", sql.Collation_Default), "  `a``b` timestamp(6) NULL DEFAULT NOW()"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stamp.Nullable = false
	if got, want := f.GenerateCreateTableColumnDefinition(stamp, "NOW()", "", sql.Collation_Default), "  `a``b` timestamp(6) NOT NULL DEFAULT NOW()"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := create(f, EngineMark+"X"); !strings.Contains(got, ") ENGINE=X DEFAULT") || strings.Contains(got, "COMMENT") {
		t.Errorf("got %q", got)
	}
	if got := create(f, "c"); got != create(plain, "c") {
		t.Errorf("got %q", got)
	}
}
