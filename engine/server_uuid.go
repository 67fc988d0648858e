package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"pfsd/engine/datadir"
	"pfsd/engine/errorlog"
	"pfsd/instr"
)

// uuidFile is the file in the data directory that holds what the server is known by, as in MySQL.
const uuidFile = "auto.cnf"

// maxUUIDFile is its largest size in bytes.
const maxUUIDFile = 1 << 20

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// serverUUID is what the server in dir is known by: once made, it stays. Without a directory, it
// is another one each time. made tells that it is new.
func serverUUID(reg *instr.Registry, dir *datadir.Dir) (id string, made bool, err error) {
	id = uuid.NewString()
	if !dir.Persistent() {
		return id, true, nil
	}
	class, path := reg.NewFileClass("sql/auto_config"), dir.Join(uuidFile)
	switch kept, err := readUUID(class, path); {
	case err == nil:
		return kept, false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", false, fmt.Errorf("cannot use %s: %w", path, errorlog.FileCause(err))
	}
	if err := dir.Write(class, path, datadir.Seal([]byte("[auto]\nserver-uuid="+id+"\n")), 0o640); err != nil {
		return "", false, fmt.Errorf("cannot write %s: %w", path, errorlog.FileCause(err))
	}
	return id, true, nil
}

// readUUID reads the file.
func readUUID(class *instr.FileClass, path string) (string, error) {
	text, err := class.ReadRegular(path, maxUUIDFile)
	if err != nil {
		return "", err
	}
	if text, err = datadir.Unseal(text); err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(strings.ReplaceAll(line, "_", "-"), "server-uuid="); ok {
			if id = strings.ToLower(strings.TrimSpace(id)); !uuidForm.MatchString(id) {
				return "", fmt.Errorf("'%s' is not a valid UUID", id)
			}
			return id, nil
		}
	}
	return "", errors.New("there is no server-uuid in it")
}
