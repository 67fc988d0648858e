package sqlvalue

import (
	"bytes"
	"encoding/json"
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
		if d, ok := ExactDocument(text); ok {
			return d, nil
		}
	case []byte:
		if d, ok := ExactDocument(string(text)); ok {
			return d, nil
		}
	}
	document, _, err := types.JSON.Convert(ctx, v)
	return document, err
}

// ExactDocument returns the document in a text that has an integer of which a DOUBLE may lose digits; false if it has none, is no document, or
// is one that go-mysql-server refuses.
func ExactDocument(text string) (types.JSONDocument, bool) {
	if !mends.ExactDocuments.On() || !hasLongNumber(text) || int64(len(text)) > MaxDocumentSize {
		return types.JSONDocument{}, false
	}
	var plain any
	if json.Unmarshal([]byte(text), &plain) != nil {
		return types.JSONDocument{}, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return types.JSONDocument{}, false
	}
	return types.JSONDocument{Val: exactNumbers(v)}, true
}

// longNumber is how many digits a number has at least that a DOUBLE may not hold.
const longNumber = 16

func hasLongNumber(text string) bool {
	digits := 0
	for _, c := range []byte(text) {
		if !IsDigit(c) {
			digits = 0
		} else if digits++; digits == longNumber {
			return true
		}
	}
	return false
}

// exactNumbers returns v with integers that fit into BIGINT or BIGINT UNSIGNED as such, and other numbers as DOUBLE.
func exactNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		f, _ := v.Float64() // which was read before
		return f
	case []any:
		for i := range v {
			v[i] = exactNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = exactNumbers(v[key])
		}
	}
	return v
}

// StoredDocument returns the document whose text is stored.
func StoredDocument(text []byte) sql.JSONWrapper {
	if d, ok := ExactDocument(string(text)); ok {
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
