package syntax

import (
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// share is the name of a table that does not exist. The rule spellings writes FOR SHARE as FOR
// UPDATE OF this table, and restoreShares makes it FOR SHARE again in the syntax tree.
const share = "<share>"

// ShareLock is the beginning of the type of a shared lock (ast.Lock) that has tables, NOWAIT or
// SKIP LOCKED. The type of a shared lock without these is ast.ShareModeStr.
const ShareLock = " for share"

// shareWords returns what spellings writes for the FOR SHARE that begins at token i, and its last
// token.
//
//	SELECT a FROM t FOR SHARE OF t NOWAIT  becomes  SELECT a FROM t FOR UPDATE OF `<share>`, t NOWAIT
//
// go-mysql-server: knows only LOCK IN SHARE MODE. MySQL: knows FOR SHARE with tables, NOWAIT and
// SKIP LOCKED too.
func (r *rewriting) shareWords(i int) (words string, last int) {
	words, last = "FOR UPDATE OF `"+share+"`", i+1
	if r.is(last+1, "OF") {
		first := last + 2
		for last += 2; r.is(last+1, ",") || r.is(last+1, "."); last += 2 {
		}
		words += ", "
		for j := first; j <= last; j++ {
			if r.is(j+1, ".") || r.is(j, ".") { // go-mysql-server accepts only names without a database
				continue
			}
			words += r.word(j)
		}
	}
	switch {
	case r.is(last+1, "NOWAIT"):
		return words + " NOWAIT", last + 1
	case r.is(last+1, "SKIP") && r.is(last+2, "LOCKED"):
		return words + " SKIP LOCKED", last + 2
	}
	return words, last
}

// restoreShares makes the locks in s shared that shareWords has written as FOR UPDATE.
func restoreShares(s ast.Statement) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *ast.Select:
			restoreShare(n.Lock)
		case *ast.SetOp:
			restoreShare(n.Lock)
		}
		return true, nil
	}, s)
}

func restoreShare(l *ast.Lock) {
	if l == nil || len(l.Tables) == 0 || l.Tables[0].Name.String() != share {
		return
	}
	l.Tables = slices.Clone(l.Tables[1:])
	var b strings.Builder
	b.WriteString(ShareLock)
	before := " of "
	for _, t := range l.Tables {
		b.WriteString(before + ast.String(t))
		before = ", "
	}
	for _, end := range []string{" nowait", " skip locked"} {
		if strings.HasSuffix(l.Type, end) {
			b.WriteString(end)
		}
	}
	if l.Type = b.String(); l.Type == ShareLock {
		l.Type = ast.ShareModeStr
	}
}
