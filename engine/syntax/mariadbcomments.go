package syntax

import "strings"

// MariaDBComments returns a text in which comments with code for MariaDB, /*M! ... */, are such as
// everybody takes for comments, of the same length.
//
// go-mysql-server: takes them for code. MySQL: for comments. mariadb-dump begins with one.
func MariaDBComments(text string) string {
	if !strings.Contains(text, "/*M!") {
		return text
	}
	to := []byte(text)
	for _, t := range scan(text, Mode{}) {
		if strings.HasPrefix(text[t.start:], "/*M!") {
			to[t.start+len("/*")], to[t.start+len("/*M")] = ' ', ' '
		}
	}
	return string(to)
}
