package serverfiles

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/clientfiles"
	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/sysvar"
)

// Into builds SELECT ... INTO OUTFILE and INTO DUMPFILE, where v are the variables of the server and build builds what is part of it; nil is
// that of any other INTO.
//
// go-mysql-server: takes all rows into memory, follows links out of secure_file_priv, writes bytes
// and dates as Go prints them, and no errors of writing are noticed. MySQL: streams, and says
// what went wrong.
func Into(ctx *sql.Context, v *sysvar.Server, build nodes.Executor, n *plan.Into, row sql.Row) (sql.RowIter, error) {
	name := n.Outfile + n.Dumpfile
	if name == "" || !mends.ServerFiles.On() {
		return nil, nil
	}
	f, err := Directory(v, classesOf(ctx).selectTo).Create(name)
	if err != nil {
		return nil, err
	}
	written, err := writeInto(ctx, build, n, row, f)
	if err == nil {
		if err = f.Close(); err != nil {
			err = clientfiles.ErrWriting(name, err)
		}
	}
	if err != nil {
		f.Discard()
		return nil, err
	}
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(written))), nil
}

// writeInto writes the rows of n into f.
func writeInto(ctx *sql.Context, build nodes.Executor, n *plan.Into, row sql.Row, f *clientfiles.NewFile) (written int, err error) {
	rows, err := build.Build(ctx, n.Child, row)
	if err != nil {
		return 0, err
	}
	defer func() {
		if closed := rows.Close(ctx); err == nil {
			err = closed
		}
	}()
	fields := clientfiles.Fields{
		Terminated: n.FieldsTerminatedBy, Enclosed: n.FieldsEnclosedBy, Escaped: n.FieldsEscapedBy,
		LinesStarting: n.LinesStartingBy, LinesTerminated: n.LinesTerminatedBy, Optionally: n.FieldsEnclosedByOpt,
	}
	if n.Dumpfile != "" {
		fields = clientfiles.Fields{}
	}
	to := clientfiles.NewRowWriter(f, fields)
	schema := n.Child.Schema(ctx)
	for {
		r, err := rows.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		if written++; written > 1 && n.Dumpfile != "" {
			return 0, mysql.NewSQLError(1172, mysqlerr.States[1172], "Result consisted of more than one row")
		}
		values, err := fileFields(ctx, schema, r)
		if err != nil {
			return 0, err
		}
		if err := to.Write(values); err != nil {
			return 0, clientfiles.ErrWriting(n.Outfile+n.Dumpfile, err)
		}
	}
	if err := to.Flush(); err != nil {
		return 0, clientfiles.ErrWriting(n.Outfile+n.Dumpfile, err)
	}
	return written, nil
}

// fileFields are the values of a row as a file has them.
func fileFields(ctx *sql.Context, schema sql.Schema, row sql.Row) ([]clientfiles.Field, error) {
	values := make([]clientfiles.Field, len(row))
	for i, v := range row {
		typ := schema[i].Type
		_, isText := typ.(sql.StringType)
		values[i].Text = isText || types.IsEnum(typ) || types.IsSet(typ) || types.IsTime(typ) || types.IsJSON(typ)
		switch v := v.(type) {
		case nil:
			values[i].Null = true
		case []byte:
			values[i].Value = v
		default:
			shown, err := sqlvalue.Shown(ctx, typ, nil, v)
			if err != nil {
				return nil, err
			}
			values[i].Value = shown.ToBytes()
		}
	}
	return values, nil
}
