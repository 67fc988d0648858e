package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/parsing"
	"pfsd/engine/secrets"
)

// shownText is what may be shown of a statement that has been parsed: without its passwords. The
// text of one about accounts is so already.
func (w *Work) shownText(s ast.Statement, text string) string {
	if i, ok := s.(ast.InjectedStatement); ok {
		if _, ok := i.Statement.(parsing.AccountStatement); ok {
			return text
		}
	}
	return secrets.HideParsed(text)
}

// showText lets others see text as the statement that runs.
func (w *Work) showText(ctx *sql.Context, text string) {
	if p, known := ctx.ProcessList.(*processes); known {
		w.Thread.SetInfo(text)
		p.Show(ctx.Session.ID(), text)
	}
}
