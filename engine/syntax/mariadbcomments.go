package syntax

import "strings"

// MariaDBComments turns comments with code for MariaDB, /*M! ... */, into ordinary comments of the
// same length.
//
// go-mysql-server: executes the code. MySQL: ignores it. The output of mariadb-dump begins with
// such a comment.
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
