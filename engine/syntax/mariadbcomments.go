package syntax

import "strings"

// MariaDBComments turns comments with code for MariaDB, /*M! ... */, and for a newer MySQL,
// /*!90000 ... */, into ordinary comments of the same length.
//
// go-mysql-server: executes the code. MySQL: ignores it. The output of mariadb-dump begins with a
// comment of the first sort.
func MariaDBComments(text string) string {
	if !strings.Contains(text, "/*M!") && !hasNewerCode(text) {
		return text
	}
	to := []byte(text)
	for _, t := range scan(text, Mode{}) {
		switch s := text[t.start:t.end]; {
		case strings.HasPrefix(s, "/*M!"):
			to[t.start+len("/*")], to[t.start+len("/*M")] = ' ', ' '
		case isNewerCode(s):
			to[t.start+len("/*")] = ' '
		}
	}
	return string(to)
}

// hasNewerCode reports whether /*! and a version newer than this one are in a text.
func hasNewerCode(text string) bool {
	for {
		i := strings.Index(text, "/*!")
		if i < 0 {
			return false
		}
		if isNewerCode(text[i:]) {
			return true
		}
		text = text[i+len("/*!"):]
	}
}

// isNewerCode reports whether s begins with /*! and a version newer than this one.
func isNewerCode(s string) bool {
	version, ok := strings.CutPrefix(s, "/*!")
	n := 0
	for n < len(version) && isDigit(version[n]) {
		n++
	}
	return ok && (n == len(newest) && version[:n] > newest || n == len(newest)+1 && version[:n] > "0"+newest)
}
