package sqlvalue

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends"
)

// ConvertJSON returns v as a JSON document.
//
// go-mysql-server: reads each number as a DOUBLE, so that 9007199254740993 becomes 9007199254740992. MySQL: integers are integers.
func ConvertJSON(ctx *sql.Context, v any) (any, error) {
	switch text := v.(type) {
	case string:
		v = ExactDocument(text)
	case []byte:
		v = ExactDocument(text)
	}
	document, _, err := types.JSON.Convert(ctx, v)
	return document, err
}

// ExactDocument returns the document in a text that has an integer of which a DOUBLE may lose digits. It returns the text if it has none, or if it
// is no document that go-mysql-server accepts.
func ExactDocument[T string | []byte](text T) any {
	if !mends.ExactDocuments.On() || !hasLongNumber(text) || len(text) > MaxDocumentSize || TextDepth(text) > MaxDocumentDepth {
		return text
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	if _, err := d.Token(); err != io.EOF {
		return text
	}
	if v, ok := exactNumbers(v); ok {
		return types.JSONDocument{Val: v}
	}
	return text
}

// longNumber is how many digits a number has at least that a DOUBLE may not hold.
const longNumber = 16

func hasLongNumber[T string | []byte](text T) bool {
	digits := 0
	for i := range len(text) {
		if !IsDigit(text[i]) {
			digits = 0
		} else if digits++; digits == longNumber {
			return true
		}
	}
	return false
}

// exactNumbers returns v with integers that fit into BIGINT or BIGINT UNSIGNED as such, and other numbers as DOUBLE; false if one is too large for that.
func exactNumbers(v any) (any, bool) {
	ok := true
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i, true
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u, true
		}
		f, err := v.Float64()
		return f, err == nil
	case []any:
		for i := 0; ok && i < len(v); i++ {
			v[i], ok = exactNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			if v[key], ok = exactNumbers(v[key]); !ok {
				break
			}
		}
	}
	return v, ok
}

// StoredDocument returns the document whose text is stored.
func StoredDocument(text []byte) sql.JSONWrapper {
	if d, ok := ExactDocument(text).(types.JSONDocument); ok {
		return d
	}
	lazy := types.NewLazyJSONDocument(text)
	if isCompact(text) {
		if spaced, err := types.JsonToMySqlBytes(nil, lazy); err == nil { //nolint:staticcheck // which looks at no context
			return types.NewLazyJSONDocument(spaced)
		}
	}
	return lazy
}

// isCompact tells whether a document is written without blanks, as earlier versions stored it.
func isCompact(text []byte) bool {
	quoted := false
	for i := 0; i < len(text)-1; i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == ':'):
			return !bytes.HasPrefix(text[i+1:], []byte(" "))
		}
	}
	return false
}
