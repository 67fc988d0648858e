package compat

import "strings"

// MariaDBComments returns a text in which comments with code for MariaDB, /*M! ... */, are such as
// everybody takes for comments, of the same length.
//
// go-mysql-server: takes them for code. MySQL: for comments. mariadb-dump begins with one.
func MariaDBComments(text string) string {
	if !strings.Contains(text, "/*M!") {
		return text
	}
	var to []byte // nil until something is changed
	for at := 0; at < len(text); {
		rest := text[at:]
		n := 1
		switch c := rest[0]; {
		case c == '\'' || c == '"' || c == '`':
			n = quotedLength(rest)
		default:
			if strings.HasPrefix(rest, "/*M!") {
				if to == nil {
					to = []byte(text)
				}
				to[at+len("/*")], to[at+len("/*M")] = ' ', ' '
			}
			n = max(n, commentLength(rest))
		}
		at += n
	}
	if to == nil {
		return text
	}
	return string(to)
}
