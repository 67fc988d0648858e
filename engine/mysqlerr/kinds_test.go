package mysqlerr

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Each kind of error of go-mysql-server's package sql has MySQL's number, or stands here. One that comes with a new version is looked at.
func TestKindsHaveNumbers(t *testing.T) {
	p, err := build.Import("github.com/dolthub/go-mysql-server/sql", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, "errors.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	ast.Inspect(theirs, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 && calls(v.Values[0], "errors", "NewKind") {
			kinds[v.Names[0].Name] = true
		}
		return true
	})
	if len(kinds) < 200 {
		t.Fatalf("%d kinds", len(kinds))
	}
	numbered := map[string]bool{}
	for _, d := range theirs.Decls { // what it numbers itself
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "CastSQLError" {
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					numbered[id.Name] = true
				}
				return true
			})
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && isName(s.X, "sql") {
				numbered[s.Sel.Name] = true
			}
			return true
		})
	}
	reasons := map[string]string{}
	for reason, names := range unnumbered {
		for name := range strings.FieldsSeq(names) {
			if reasons[name] != "" {
				t.Errorf("%s stands there twice", name)
			}
			reasons[name] = reason
		}
	}
	for name := range kinds {
		if !numbered[name] && reasons[name] == "" {
			t.Errorf("%s has no number, and no reason for that", name)
		}
	}
	for name := range reasons {
		if !kinds[name] || numbered[name] {
			t.Errorf("%s is no kind without a number", name)
		}
	}
}

// calls tells whether e is a call of a function of a package.
func calls(e ast.Expr, pkg, function string) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && isName(s.X, pkg) && s.Sel.Name == function
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// unnumbered are the kinds that stay 1105 (unknown error), by the reason for that.
var unnumbered = map[string]string{
	"accounts and their rights are engine/accounts', which has errors of its own": `
		ErrUserCreationFailure ErrUserNameTooLong ErrUserHostTooLong ErrUserAlterFailure ErrRoleCreationFailure ErrUserDeletionFailure
		ErrRoleDeletionFailure ErrDatabaseAccessDeniedForUser ErrTableAccessDeniedForUser ErrPrivilegeCheckFailed ErrGrantUserDoesNotExist ErrRevokeUserDoesNotExist
		ErrGrantRevokeRoleDoesNotExist ErrShowGrantsUserDoesNotExist ErrGrantRevokeIllegalPrivilege ErrGrantRevokeIllegalPrivilegeWithMessage`,
	"AS OF, schemas in databases, and DISTINCT ON are no SQL of MySQL's": `
		ErrInvalidAsOfExpression ErrProcedureNestedCallAsOf ErrProcedureCallAsOfReadOnly ErrDatabaseSchemaExists ErrDatabaseNoDatabaseSchemaSelectedCreate
		ErrDatabaseSchemaNotFound ErrDatabaseSchemasNotSupported ErrAsOfNotSupported ErrIncompatibleAsOf ErrDistinctOnMatchOrderBy`,
	"no procedure written in Go is registered that it could be about": `
		ErrExternalProcedureAmbiguousOverload ErrExternalProcedureNonFunction ErrExternalProcedureMissingContextParam ErrExternalProcedurePointerVariadic
		ErrExternalProcedureReturnTypes ErrExternalProcedureFirstReturn ErrExternalProcedureSecondReturn ErrExternalProcedureInvalidParamType`,
	"spatial values: MySQL's numbers depend on the function, and nothing here needs them": `
		ErrIllegalGISValue ErrDiffSRIDs ErrUnsupportedSRID ErrSRIDOnNonGeomCol ErrBadSpatialIdxCol ErrNoSRID ErrInvalidSRID
		ErrSpatialRefSysAlreadyExists ErrUnsupportedGISTypeForSpatialFunc ErrUnsupportedGISType ErrNotMatchingSRID ErrNotMatchingSRIDWithColName
		ErrNotPoint ErrNotLineString`,
	"the engine's databases and tables can do that": `
		ErrReadOnly ErrCreateTableNotSupported ErrDropTableNotSupported ErrRenameTableNotSupported ErrDatabaseCollationsNotSupported ErrTriggersNotSupported
		ErrVersionedStoredProceduresNotSupported ErrEventsNotSupported 
		ErrAlterTableNotSupported ErrAlterTableCollationNotSupported ErrAlterTableCommentNotSupported ErrNoForeignKeySupport
		ErrTemporaryTablesForeignKeySupport ErrTableCopyingNotSupported ErrImmutableDatabaseProvider ErrViewsNotSupported ErrDatabaseWriteLocked
		ErrFullTextNotSupported ErrFullTextDatabaseNotSupported ErrIncompleteFullTextIntegration`,
	"a fault of the SQL engine, not of the statement": `
		ErrSystemVariableCodeFail ErrInvalidType ErrTableCreatedNotFound ErrUnexpectedRowLength ErrInvalidChildrenNumber ErrInvalidExpressionNumber
		ErrInvalidChildType ErrDeleteRowNotFound ErrTriggerCreateStatementInvalid ErrProcedureCreateStatementInvalid ErrEventCreateStatementInvalid
		ErrSystemVariableReinitialized ErrUserVariableNoDefault ErrForeignKeyNotResolved ErrConflictingExternalQuery ErrPidAlreadyUsed
		ErrViewCreateStatementInvalid ErrNullableVectorIdx ErrInvalidSQLValType ErrUnknownConstraintDefinition ErrUnexpectedNilRow
		ErrUnsupportedJoinFactorCount ErrMergeJoinExpectsComparerFilters ErrNoJoinFilters ErrDroppedJoinFilters ErrVectorInvalidColumnType`,
	"stored programs are carried out by engine/routine, which has errors of its own": `
		ErrTriggerCannotBeDropped ErrProcedureRecursiveCall ErrProcedureInvalidBodyStatement ErrDeclareHandlerOrderInvalid ErrDeclareConditionNotFound
		ErrDeclareHandlerUndo ErrLoopLabelNotFound ErrCursorNotFound ErrCursorAlreadyOpen ErrCursorNotOpen ErrFetchIncorrectCount ErrSignalOnlySqlState`,
	"MySQL has no number for it, or one of several that the kind alone does not tell": `
		ErrMisusedAlias ErrColumnDefaultDatetimeOnlyFunc ErrColumnDefaultSubquery ErrColumnDefaultUserVariable ErrInvalidDefaultValueOrder
		ErrDropColumnReferencedInDefault ErrUnknownStatusVariable ErrUnknownUserVariable ErrUnboundPreparedStatementVariable ErrInvalidColTypeDefinition
		ErrCheckConstraintInvalidatedByColumnAlter ErrUuidUnableToParse ErrLoadDataCannotOpen ErrLoadDataCharacterLength
		ErrCollationNotSupportedOnUniqueTextIndex ErrForeignKeyMissingColumns ErrAddForeignKeyDuplicateColumn ErrForeignKeySetDefault ErrForeignKeyTextBlob
		ErrForeignKeyTypeChange ErrInvalidArgumentType ErrTableFunctionNotInFrom ErrTableFunctionNotFound ErrSessionDoesNotSupportPersistence
		ErrInvalidCheckConstraint ErrInvalidConstraintFunctionNotSupported ErrInvalidConstraintSubqueryNotSupported ErrRecursiveCTENotUnion ErrInvalidWindowInheritance ErrCannotCopyWindowFrame
		ErrUnexpectedSeparator ErrUnsupportedIndexPrefix ErrCollationMalformedString ErrCollationNotYetImplementedTemp ErrCharSetIntroducer
		ErrCharSetFailedToEncode ErrCharSetNotYetImplementedTemp ErrConvertingToSet ErrInvalidSetValue ErrTooLargeForSet ErrStarUnsupported
		ErrFullTextMatchAgainstNotColumns ErrFullTextMatchAgainstSameTable ErrFullTextDifferentCollations ErrFullTextMissingColumn
		ErrFullTextDuplicateColumn ErrInvalidTypeForLimit ErrEnumTypeTruncated ErrUnresolvedTableLock`,
}
