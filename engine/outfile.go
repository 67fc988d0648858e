package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// refusedFile tells why no client may write a file, "" is none: there is no directory for files, or
// it is in another one.
//
// go-mysql-server: an error about the directory, and takes one whose name only begins as that one's
// for the same. MySQL: 1290.
func (s *variables) refusedFile(name string) error {
	if dir, _ := s.global("secure_file_priv").(string); name != "" && dir != "" {
		_, err := os.Stat(dir)
		whole, absErr := filepath.Abs(name)
		rest, relErr := filepath.Rel(dir, whole)
		if errors.Join(err, absErr, relErr) != nil || rest == ".." || strings.HasPrefix(rest, "../") {
			return sql.ErrSecureFilePriv.New(dir)
		}
	}
	return nil
}
