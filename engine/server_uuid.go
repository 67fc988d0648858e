package engine

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// uuidFile is the file in the data directory that holds what the server is known by, as in MySQL.
const uuidFile = "auto.cnf"

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// serverUUID is what the server in dir is known by: once made, it stays. Without a directory, it
// is another one each time. made tells that it is new.
func serverUUID(dir string) (uuid string, made bool, err error) {
	path := filepath.Join(dir, uuidFile)
	if dir != "" {
		switch uuid, err := readUUID(path); {
		case err == nil:
			return uuid, false, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", false, fmt.Errorf("cannot use %s: %w", path, fileCause(err))
		}
	}
	uuid = newUUID()
	if dir == "" {
		return uuid, true, nil
	}
	if err := os.WriteFile(path, []byte("[auto]\nserver-uuid="+uuid+"\n"), 0o640); err != nil {
		return "", false, fmt.Errorf("cannot write %s: %w", path, fileCause(err))
	}
	return uuid, true, nil
}

// readUUID reads the file.
func readUUID(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if uuid, ok := strings.CutPrefix(strings.ReplaceAll(lines.Text(), "_", "-"), "server-uuid="); ok {
			if uuid = strings.ToLower(strings.TrimSpace(uuid)); !uuidForm.MatchString(uuid) {
				return "", fmt.Errorf("'%s' is not a valid UUID", uuid)
			}
			return uuid, nil
		}
	}
	return "", errors.Join(lines.Err(), errors.New("there is no server-uuid in it"))
}

// newUUID is a random UUID.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
