package engine

import (
	"errors"
	"fmt"
	"io/fs"

	"pfsd/engine/accounts"
	"pfsd/engine/datadir"
	"pfsd/engine/errorlog"
)

// accountsFile is where the accounts are kept, in the data directory.
const accountsFile = "accounts.json"

// maxAccountsFile is its largest size in bytes.
const maxAccountsFile = 256 << 20

// openAccounts reads the accounts, or makes those of a server that is new.
func (s *Server) openAccounts(o Options) (err error) {
	var data []byte
	var persist func([]byte) error
	if s.dir.Persistent() {
		class, path := s.reg.NewFileClass("sql/accounts"), s.dir.Join(accountsFile)
		data, err = class.ReadRegular(path, maxAccountsFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot read %s: %w", path, errorlog.Cause(err))
		}
		if data != nil {
			if data, err = datadir.Unseal(data); err != nil {
				return fmt.Errorf("cannot use %s: %w", path, err)
			}
		}
		persist = func(data []byte) error { return s.dir.Write(class, path, datadir.Seal(data), 0o600) }
	}
	if s.accounts, err = accounts.Open(data, persist); err != nil {
		return fmt.Errorf("cannot use %s in --datadir %s: %w", accountsFile, o.DataDir, err)
	}
	s.accounts.AllowNative = o.NativePassword
	s.fresh = data == nil
	if err := s.checkAdmission(o); err != nil {
		return err
	}
	if s.fresh && !o.InitializeInsecure {
		return s.accounts.CloseRoot()
	}
	return nil
}
