package serverfiles

import (
	"bytes"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/sysvar"
)

// loadFile is LOAD_FILE: NULL for who may not read files, and for a file that cannot be read.
//
// go-mysql-server: opens what the name means, a link out of secure_file_priv as well. MySQL: only
// what is in it.
type loadFile struct{ *function.LoadFile }

// NewLoadFile makes LOAD_FILE of a name.
func NewLoadFile(ctx *sql.Context, name sql.Expression) sql.Expression {
	return loadFile{function.NewLoadFile(ctx, name).(*function.LoadFile)}
}

// WithChildren implements sql.Expression.
func (l loadFile) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(l, len(children), 1)
	}
	return NewLoadFile(ctx, children[0]), nil
}

// Eval implements sql.Expression.
func (l loadFile) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	name, err := l.Children()[0].Eval(ctx, row)
	if err != nil || name == nil || !access.May(ctx, accounts.File) {
		return nil, err
	}
	if !mends.ServerFiles.On() {
		return l.LoadFile.Eval(ctx, row)
	}
	path, _ := name.(string)
	variables := sysvar.Current()
	f, err := Directory(variables, classesOf(ctx).loadFile).Open(path)
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

// Load builds LOAD DATA, where v are the variables of the server and build is the executor; nil is for the executor to build.
//
// go-mysql-server: opens what the name means, and answers 1105 if it cannot. MySQL: opens what is
// in secure_file_priv. The SQL engine reads the file as it reads one that the client sends, which
// nothing else asks it for: the parser refuses LOAD DATA LOCAL.
func Load(ctx *sql.Context, v *sysvar.Server, build nodes.Executor, n *plan.LoadData, row sql.Row) (rows sql.RowIter, err error) {
	if !mends.ServerFiles.On() {
		return nil, nil
	}
	f, err := Directory(v, classesOf(ctx).load).Open(n.File)
	if err != nil {
		return nil, err
	}
	opened := *n
	opened.Local = true
	lines := &boundedLines{from: f, end: n.LinesTerminatedBy, max: int(v.Global("max_allowed_packet").(uint64))}
	loading := sql.NewContext(ctx, sql.WithSession(ctx.Session), sql.WithServices(sql.Services{
		LoadInfile: func(string) (io.ReadCloser, error) { return lines, nil },
	}))
	v.WhileLoading(func() { rows, err = build.Build(loading, &opened, row) })
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return rows, nil
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
