package engine

import (
	"bytes"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/clientfiles"
	"pfsd/engine/compat"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// clientFileClasses are the instruments of the files that clients read and write.
type clientFileClasses struct{ loadFile, load, selectTo *instr.FileClass }

func newClientFileClasses(reg *instr.Registry) clientFileClasses {
	return clientFileClasses{reg.NewFileClass("sql/LOAD_FILE"), reg.NewFileClass("sql/load"), reg.NewFileClass("sql/select_to_file")}
}

// fileClassesOf are those of the connection that ctx belongs to, none if it belongs to none.
func fileClassesOf(ctx *sql.Context) clientFileClasses {
	if w := workOf(ctx); w != nil {
		return w.files
	}
	return clientFileClasses{}
}

// clientFiles is the directory for clients' files, of which those opened belong to class.
func clientFiles(v *sysvar.Server, class *instr.FileClass) clientfiles.Dir {
	dir, _ := v.Global("secure_file_priv").(string)
	base, _ := v.Global("datadir").(string)
	if dir == sysvar.NoDirectory {
		dir = ""
	}
	return clientfiles.Dir{Path: dir, Base: base, Class: class}
}

// loadFile is LOAD_FILE: NULL for who may not read files, and for a file that cannot be read.
//
// go-mysql-server: opens what the name means, a link out of secure_file_priv as well. MySQL: only
// what is in it.
type loadFile struct{ *function.LoadFile }

func newLoadFile(ctx *sql.Context, name sql.Expression) sql.Expression {
	return loadFile{function.NewLoadFile(ctx, name).(*function.LoadFile)}
}

// WithChildren implements sql.Expression.
func (l loadFile) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(l, len(children), 1)
	}
	return newLoadFile(ctx, children[0]), nil
}

// Eval implements sql.Expression.
func (l loadFile) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	name, err := l.Children()[0].Eval(ctx, row)
	if err != nil || name == nil || !access.May(ctx, accounts.File) {
		return nil, err
	}
	if !compat.ServerFiles.On() {
		return l.LoadFile.Eval(ctx, row)
	}
	variables := sysvar.Current()
	f, err := clientFiles(variables, fileClassesOf(ctx).loadFile).Open(text(name))
	if err != nil {
		return nil, nil
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, nil
	}
	limit := variables.Global("max_allowed_packet").(uint64)
	if uint64(info.Size()) > limit {
		ctx.Warn(1301, "Result of %s() was larger than max_allowed_packet (%d) - truncated", "load_file", limit)
		return nil, nil
	}
	content, err := io.ReadAll(io.LimitReader(f, int64(limit)))
	if err != nil {
		return nil, nil
	}
	return content, nil
}

// loadData builds LOAD DATA.
//
// go-mysql-server: opens what the name means, and answers 1105 if it cannot. MySQL: opens what is
// in secure_file_priv. The SQL engine reads the file as it reads one that the client sends, which
// nothing else asks it for: the parser refuses LOAD DATA LOCAL.
func (b *builder) loadData(ctx *sql.Context, n *plan.LoadData, row sql.Row) (sql.RowIter, error) {
	if !compat.ServerFiles.On() {
		return nil, nil
	}
	f, err := clientFiles(b.variables, fileClassesOf(ctx).load).Open(n.File)
	if err != nil {
		return nil, err
	}
	opened := *n
	opened.Local = true
	lines := &boundedLines{from: f, end: n.LinesTerminatedBy, max: int(b.variables.Global("max_allowed_packet").(uint64))}
	loading := sql.NewContext(ctx, sql.WithSession(ctx.Session), sql.WithServices(sql.Services{
		LoadInfile: func(string) (io.ReadCloser, error) { return lines, nil },
	}))
	var rows sql.RowIter
	b.variables.WhileLoading(func() { rows, err = b.plain.Build(loading, &opened, row) })
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return workOf(ctx).pace(rows), nil
}

// boundedLines reads a file whose lines are bounded, so that one is never too much for the
// memory. Owned by one goroutine.
type boundedLines struct {
	from io.ReadCloser
	end  string
	max  int // bytes
	line int // how many bytes since a line has begun
}

// Read implements io.Reader.
func (b *boundedLines) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if i := bytes.LastIndex(p[:n], []byte(b.end)); i >= 0 {
		b.line = n - i
	} else if b.line += n; b.line > b.max {
		return 0, mysqlerr.PacketTooBig
	}
	return n, err
}

// Close implements io.Closer.
func (b *boundedLines) Close() error { return b.from.Close() }

// into builds SELECT ... INTO OUTFILE and INTO DUMPFILE.
//
// go-mysql-server: takes all rows into memory, follows links out of secure_file_priv, writes bytes
// and dates as Go prints them, and no errors of writing are noticed. MySQL: streams, and says
// what went wrong.
func (b *builder) into(ctx *sql.Context, n *plan.Into, row sql.Row) (sql.RowIter, error) {
	name := n.Outfile + n.Dumpfile
	if name == "" || !compat.ServerFiles.On() {
		return nil, nil
	}
	f, err := clientFiles(b.variables, fileClassesOf(ctx).selectTo).Create(name)
	if err != nil {
		return nil, err
	}
	written, err := b.writeInto(ctx, n, row, f)
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
func (b *builder) writeInto(ctx *sql.Context, n *plan.Into, row sql.Row, f *clientfiles.NewFile) (written int, err error) {
	rows, err := b.base.Build(ctx, n.Child, row)
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
			shown, err := compat.Shown(ctx, typ, nil, v)
			if err != nil {
				return nil, err
			}
			values[i].Value = shown.ToBytes()
		}
	}
	return values, nil
}
