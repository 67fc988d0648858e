package engine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"pfsd/engine/datadir"
	"pfsd/engine/errorlog"
	"pfsd/instr"
)

// uuidFile is the file in the data directory that holds what the server is known by, as in MySQL.
const uuidFile = "auto.cnf"

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// serverUUID is what the server in dir is known by: once made, it stays. Without a directory, it
// is another one each time. made tells that it is new.
func serverUUID(reg *instr.Registry, dir *datadir.Dir) (uuid string, made bool, err error) {
	uuid = newUUID()
	if !dir.Persistent() {
		return uuid, true, nil
	}
	class, path := reg.NewFileClass("sql/auto_config"), dir.Join(uuidFile)
	switch kept, err := readUUID(class, path); {
	case err == nil:
		return kept, false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", false, fmt.Errorf("cannot use %s: %w", path, errorlog.FileCause(err))
	}
	if err := dir.Write(class, path, []byte("[auto]\nserver-uuid="+uuid+"\n"), 0o640); err != nil {
		return "", false, fmt.Errorf("cannot write %s: %w", path, errorlog.FileCause(err))
	}
	return uuid, true, nil
}

// readUUID reads the file.
func readUUID(class *instr.FileClass, path string) (string, error) {
	text, err := class.ReadFile(path)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if uuid, ok := strings.CutPrefix(strings.ReplaceAll(line, "_", "-"), "server-uuid="); ok {
			if uuid = strings.ToLower(strings.TrimSpace(uuid)); !uuidForm.MatchString(uuid) {
				return "", fmt.Errorf("'%s' is not a valid UUID", uuid)
			}
			return uuid, nil
		}
	}
	return "", errors.New("there is no server-uuid in it")
}

// newUUID is a random UUID.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
