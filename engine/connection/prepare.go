package connection

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/prepared"
	"pfsd/engine/statements"
)

// prepare answers COM_STMT_PREPARE.
func (h *Handler) prepare(c *mysql.Conn, cl *Client, text string) error {
	var p *mysql.PrepareData
	var fields []*querypb.Field
	err := h.command(context.Background(), c, commandPrepare, text, func(ctx *sql.Context) (err error) {
		p, fields, err = h.prepareStatement(ctx, c, text)
		return err
	})
	if err != nil {
		e, ok := err.(*mysql.SQLError)
		if !ok {
			return err
		}
		return cl.Wire.WriteError(e)
	}
	return cl.Wire.WritePrepared(p, fields)
}

// prepareStatement prepares a statement, and returns its columns.
func (h *Handler) prepareStatement(ctx *sql.Context, c *mysql.Conn, text string) (*mysql.PrepareData, []*querypb.Field, error) {
	cl := ClientOf(c)
	c.StatementID++
	s, err := prepared.Parse(ctx, h.Engine, text)
	if s.Shown != "" && s.Shown != text {
		cl.work.showText(ctx, s.Shown)
		o := &cl.work.Current
		o.event.Identify(cl.work.commands[commandPrepare], o.schema, statements.Trimmed(s.Shown), cl.work.digests.of(ctx, s.Shown))
	}
	if err == nil {
		_, err = cl.work.Preparations.Keep(s)
	}
	if err != nil {
		cl.work.Preparations.ForgetTree(ctx.Session, text)
		return nil, nil, err
	}
	p := &mysql.PrepareData{StatementID: c.StatementID, PrepareStmt: s.Shown, ParamsCount: uint16(s.Markers)}
	if s.Markers > 0 {
		p.ParamsType, p.BindVars = make([]int32, s.Markers), make(map[string]*querypb.BindVariable, s.Markers)
	}
	c.PrepareData[p.StatementID] = p
	cl.work.Preparations.KeepTree(ctx.Session, text)
	return p, s.Columns(ctx), nil
}
