package sysvar

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/budget"
	"pfsd/engine/datadir"
	"pfsd/engine/grammar"
	"pfsd/instr"
	"pfsd/tables"
)

// persistedFile is the file of the data directory that SET PERSIST writes.
const persistedFile = "mysqld-auto.cnf"

// A PersistedValue is a value that SET PERSIST has written.
type PersistedValue struct {
	Name, Value string
	Time        time.Time
	User, Host  string
}

// Persisted is the contents of mysqld-auto.cnf. Safe for concurrent use.
type Persisted struct {
	dir   *datadir.Dir
	Path  string // "" without a data directory
	files *instr.FileClass
	file  *instr.Mutex               // held while the file is written
	mu    *instr.Mutex               // guards what follows; taken after file
	of    map[string]PersistedValue  // values by variable name
	other map[string]json.RawMessage // unknown parts of the file
	hold  *budget.Hold               // of the texts of values; guarded by file, nil if they are not charged
}

// The parts of the file, in the order of the file.
var persistedParts = []string{
	"mysql_static_variables", "mysql_dynamic_variables", "mysql_static_parse_early_variables", "mysql_dynamic_parse_early_variables",
}

// partOf returns the part of the file that a variable belongs to.
func partOf(v *Variable) string {
	i := 0
	if v.Early {
		i = 2
	}
	if !v.Fixed {
		i++
	}
	return persistedParts[i]
}

// persistedSeal is the last member of the file, which MySQL's has not: the checksum of all that stands before it.
const persistedSeal = "pfsd_crc32c"

// maxPersisted is the largest file of persisted variables, in bytes.
const maxPersisted = 64 << 20

// ReadPersisted reads the file of a data directory; files is its instrument. A file that is empty or cannot be read is an error that
// says what to do.
func ReadPersisted(dir *datadir.Dir, files *instr.FileClass) (*Persisted, error) {
	p := &Persisted{dir: dir, of: map[string]PersistedValue{}, other: map[string]json.RawMessage{}}
	if !dir.Persistent() {
		return p, nil
	}
	p.Path = dir.Join(persistedFile)
	text, err := files.ReadRegular(p.Path, maxPersisted)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = p.parse(text)
	}
	if err != nil {
		return p, fmt.Errorf("persisted variables in %s: %w; --persisted-globals-load=OFF starts without them", p.Path, err)
	}
	return p, nil
}

// open makes the values writable, with the instruments of a registry.
func (p *Persisted) open(reg *instr.Registry) {
	p.files, p.file, p.mu = reg.NewFileClass("persist/cnf"), reg.NewMutex("persist/m_LOCK_persist_file"), reg.NewMutex("persist/m_LOCK_persist_variables")
}

// persistedJSON is a variable in the file.
type persistedJSON struct {
	Value    *string
	Metadata struct {
		Host, User string
		Timestamp  int64 // microseconds
	}
}

// parse reads the file's text: that of MySQL since 8.0.29.
func (p *Persisted) parse(text []byte) error {
	var parts map[string]json.RawMessage
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("the file is empty")
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return errors.New("not JSON")
	}
	if version := string(parts["Version"]); version != "2" {
		return fmt.Errorf("version %.20q is not 2", version)
	}
	if _, sealed := parts[persistedSeal]; sealed {
		body, sum, _ := bytes.Cut(bytes.TrimSpace(text), []byte(", "+jsonText(persistedSeal)+": "))
		if body = append(bytes.Clone(body), '}'); string(sum) != jsonText(datadir.Checksum(body))+"}" {
			return fmt.Errorf("it has changed since it was written: its checksum is %s; without %q it is not checked", datadir.Checksum(body), persistedSeal)
		}
	}
	delete(parts, persistedSeal)
	delete(parts, "Version")
	for _, part := range persistedParts {
		var of map[string]persistedJSON
		if raw, ok := parts[part]; ok {
			if err := json.Unmarshal(raw, &of); err != nil {
				return fmt.Errorf("%s is not of the form NAME: {Value, Metadata}", part)
			}
		}
		delete(parts, part)
		for name, v := range of {
			if v.Value == nil {
				return fmt.Errorf("variable '%.64s' has no value", name)
			}
			p.of[strings.ToLower(name)] = PersistedValue{name, *v.Value, time.UnixMicro(v.Metadata.Timestamp), v.Metadata.User, v.Metadata.Host}
		}
	}
	p.other = parts
	return nil
}

// text returns the file's text; find returns the declaration of a variable.
func (p *Persisted) text(find func(name string) *Variable) []byte {
	parts := map[string][]PersistedValue{}
	for _, name := range slices.Sorted(maps.Keys(p.of)) {
		part := persistedParts[1]
		if v := find(name); v != nil {
			part = partOf(v)
		}
		parts[part] = append(parts[part], p.of[name])
	}
	var b bytes.Buffer
	b.WriteString(`{"Version": 2`)
	for _, part := range persistedParts {
		for i, v := range parts[part] {
			open := ", "
			if i == 0 {
				open = ", " + jsonText(part) + ": {"
			}
			fmt.Fprintf(&b, `%s%s: {"Value": %s, "Metadata": {"Host": %s, "User": %s, "Timestamp": %d}}`,
				open, jsonText(v.Name), jsonText(v.Value), jsonText(v.Host), jsonText(v.User), v.Time.UnixMicro())
		}
		if len(parts[part]) > 0 {
			b.WriteByte('}')
		}
	}
	for _, part := range slices.Sorted(maps.Keys(p.other)) {
		fmt.Fprintf(&b, ", %s: %s", jsonText(part), p.other[part])
	}
	b.WriteByte('}')
	sum := datadir.Checksum(b.Bytes())
	b.Truncate(b.Len() - 1)
	fmt.Fprintf(&b, `, %s: %s}`, jsonText(persistedSeal), jsonText(sum))
	return b.Bytes()
}

// jsonText returns a JSON string.
func jsonText(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// All returns the variables, by name.
func (p *Persisted) All() (all []PersistedValue) {
	if p.mu != nil { // otherwise there is no concurrent use yet
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	for _, name := range slices.Sorted(maps.Keys(p.of)) {
		all = append(all, p.of[name])
	}
	return all
}

// change calls do to change the variables, and writes the file; if that fails, nothing has changed.
func (p *Persisted) change(find func(name string) *Variable, do func(of map[string]PersistedValue)) error {
	p.file.Lock()
	defer p.file.Unlock()
	now := Persisted{of: maps.Clone(p.of), other: p.other}
	do(now.of)
	if p.Path == "" {
		return mysql.NewSQLError(1290, "HY000", "The MySQL server is running without the --datadir option so it cannot execute this statement")
	}
	if err := p.charge(now.of); err != nil {
		return err
	}
	if err := p.write(now.text(find)); err != nil {
		number := syscall.EIO
		errors.As(err, &number)
		return mysql.NewSQLError(1026, "HY000", "Error writing file '%s' (errno: %d - %s)", p.Path, int(number), number.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = now.of
	return nil
}

// write replaces the file.
func (p *Persisted) write(text []byte) error {
	return p.dir.Write(p.files, p.Path, text, 0o640)
}

// PersistsFixed reports whether the file has the read-only variable name; "" means any.
func (s *Server) PersistsFixed(name string) bool {
	return slices.ContainsFunc(s.persisted.All(), func(p PersistedValue) bool {
		v := s.find(p.Name)
		return v != nil && v.Fixed && (name == "" || strings.EqualFold(name, p.Name))
	})
}

// ResetPersist executes RESET PERSIST.
func (s *Server) ResetPersist(ctx *sql.Context, statement *grammar.Statement) error {
	if len(statement.Names) == 0 {
		return s.persisted.change(s.find, func(of map[string]PersistedValue) { clear(of) })
	}
	name := statement.Names[0].Name
	if db := statement.Names[0].Database; db != "" {
		name = db + "." + name
	}
	key := strings.ToLower(name)
	known := slices.ContainsFunc(s.persisted.All(), func(v PersistedValue) bool { return strings.EqualFold(v.Name, name) })
	switch {
	case known:
		return s.persisted.change(s.find, func(of map[string]PersistedValue) { delete(of, key) })
	case len(statement.Options) > 0:
		ctx.Warn(3615, "Variable %s does not exist in persisted config file", name)
		return nil
	}
	return mysql.NewSQLError(3615, "HY000", "Variable %s does not exist in persisted config file", name)
}

// persistedRows are the rows of persisted_variables.
func (s *Server) persistedRows(key tables.Key) (rows []tables.PersistedVariableRow) {
	name, only := key.Text("VARIABLE_NAME")
	for _, v := range s.persisted.All() {
		if !only || strings.EqualFold(name, v.Name) {
			rows = append(rows, tables.PersistedVariableRow{Name: v.Name, Value: v.Value})
		}
	}
	return rows
}

// notPersistable are the read-only variables that cannot be persisted, most of them because they are paths
// of the server's files.
var notPersistable = map[string]bool{
	"admin_address": true, "auto_generate_certs": true, "basedir": true, "bind_address": true, "build_id": true, "caching_sha2_password_auto_generate_rsa_keys": true,
	"caching_sha2_password_digest_rounds": true, "caching_sha2_password_private_key_path": true, "caching_sha2_password_public_key_path": true,
	"character_set_system": true, "character_sets_dir": true, "core_file": true, "datadir": true, "ft_stopword_file": true,
	"gtid_executed": true, "gtid_owned": true, "have_compress": true, "have_dynamic_loading": true, "have_geometry": true, "have_profiling": true,
	"have_query_cache": true, "have_rtree_keys": true, "have_statement_timeout": true, "have_symlink": true, "hostname": true, "init_file": true,
	"large_files_support": true, "large_page_size": true, "lc_messages_dir": true, "license": true, "locked_in_memory": true, "log_bin": true,
	"log_bin_basename": true, "log_bin_index": true, "log_error": true, "lower_case_file_system": true, "lower_case_table_names": true,
	"persist_only_admin_x509_subject": true, "persist_sensitive_variables_in_plaintext": true, "persisted_globals_load": true, "pid_file": true,
	"plugin_dir": true, "port": true, "protocol_version": true, "secure_file_priv": true, "server_uuid": true, "sha256_password_auto_generate_rsa_keys": true,
	"sha256_password_private_key_path": true, "sha256_password_public_key_path": true, "skip_external_locking": true, "skip_networking": true,
	"socket": true, "ssl_fips_mode": true, "system_time_zone": true, "tmpdir": true, "version": true, "version_comment": true,
	"version_compile_machine": true, "version_compile_os": true, "version_compile_zlib": true,
}
