package connection

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/instr"
	"pfsd/instr/digest"
)

// digests makes the digests of a connection's statements. Owned by the connection's goroutine.
type digests struct {
	reg *instr.Registry
	// mode is what of the session's sqlMode counts for digests.
	sqlMode string
	mode    digest.Mode
	// last is the digest in this mode of text, the last text that there was one of: that of a prepared statement comes again and again.
	text string
	last *instr.Digest
}

// keptText is how long a text can be, bytes, for a connection to keep it.
const keptText = 1024

// of is the digest of a text in the session's SQL mode, nil if digests are off.
func (d *digests) of(ctx *sql.Context, text string) *instr.Digest {
	if !d.reg.Setup().Consumer(instr.ConsumerStatementsDigest) {
		return nil
	}
	v, err := ctx.GetSessionVariable(ctx, "sql_mode")
	if mode, ok := v.(string); err == nil && ok && mode != d.sqlMode {
		d.sqlMode, d.mode, d.last = mode, digest.ParseMode(mode), nil
	}
	if d.last != nil && text == d.text {
		return d.last
	}
	made := d.reg.DigestOfMode(text, d.mode)
	if len(text) <= keptText {
		d.text, d.last = text, made
	}
	return made
}
