package executor

import (
	"math/rand/v2"
	"sync"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// hashRow returns a hash of a row. Rows that are equal by the types of their columns have the same
// hash.
//
// HashOf of go-mysql-server calls a hash function for each character of a text, and allocates four
// bytes for it.
func hashRow(ctx *sql.Context, schema sql.Schema, row sql.Row) (uint64, error) {
	h := hashSeed
	for i, v := range row {
		if i < len(schema) && v != nil {
			if t, ok := schema[i].Type.(types.StringType); ok && t.Collation() != sql.Collation_binary {
				s, ok := v.(string)
				if !ok {
					var err error
					if s, err = types.ConvertToString(ctx, v, t, nil); err != nil {
						return 0, err
					}
				}
				if h, ok = hashText(h, t.Collation(), s); !ok {
					return 0, sql.ErrCollationMalformedString.New("hashing")
				}
				continue
			}
		}
		var of sql.Schema
		if i < len(schema) {
			of = schema[i : i+1]
		}
		one, err := hash.HashOf(ctx, of, row[i:i+1])
		if err != nil {
			return 0, err
		}
		h = (h ^ one) * fnvPrime
	}
	return h, nil
}

const fnvPrime = 1099511628211

// hashSeed differs from process to process, so that nobody can make rows with the same hash.
var hashSeed = rand.Uint64()

// hashText adds the collation weights of a text's characters to a hash. It returns false if the
// text is not UTF-8.
func hashText(h uint64, c sql.CollationID, s string) (uint64, bool) {
	ascii := asciiWeights(c)
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			h = (h ^ uint64(uint32(ascii[b]))) * fnvPrime
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return h, false
		}
		h = (h ^ uint64(uint32(c.Sorter()(r)))) * fnvPrime
		i += n
	}
	return (h ^ 1<<32) * fnvPrime, true
}

// weights caches the weights of the ASCII characters of each collation.
var weights sync.Map // sql.CollationID -> *[utf8.RuneSelf]int32

func asciiWeights(c sql.CollationID) *[utf8.RuneSelf]int32 {
	if all, ok := weights.Load(c); ok {
		return all.(*[utf8.RuneSelf]int32)
	}
	var all [utf8.RuneSelf]int32
	weigh := c.Sorter()
	for r := range all {
		all[r] = weigh(rune(r))
	}
	weights.Store(c, &all)
	return &all
}
