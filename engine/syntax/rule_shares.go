package syntax

import (
	"slices"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// share is a table that nobody has: the rule spellings writes FOR SHARE as FOR UPDATE OF it, and
// restoreShares puts that right in the tree.
const share = "<share>"

// ShareLock begins the type of a lock that is shared (ast.Lock), as ast.ShareModeStr does where
// nothing follows.
const ShareLock = " for share"

// shareWords is how the lock of words from i on, FOR SHARE, is written for the parser, and its last
// word.
//
//	SELECT a FROM t FOR SHARE OF t NOWAIT  becomes  SELECT a FROM t FOR UPDATE OF `<share>`, t NOWAIT
//
// go-mysql-server: has LOCK IN SHARE MODE alone. MySQL: FOR SHARE with tables, NOWAIT and SKIP
// LOCKED.
func (r *rewriting) shareWords(i int) (words string, last int) {
	words, last = "FOR UPDATE OF `"+share+"`", i+1
	if r.is(last+1, "OF") {
		first := last + 2
		for last += 2; r.is(last+1, ",") || r.is(last+1, "."); last += 2 {
		}
		words += ", "
		for j := first; j <= last; j++ {
			if r.is(j+1, ".") || r.is(j, ".") { // go-mysql-server takes names without a database
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

// restoreShares has the locks that shareWords wrote be shared ones.
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
