package accounts

import (
	"bytes"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/dolthub/vitess/go/mysql"
)

// Plugins, which say how a password is kept and asked for.
const (
	CachingSHA2 = "caching_sha2_password"
	Native      = "mysql_native_password"
)

// hashed is what is kept of a password; "" is kept of none.
func hashed(plugin, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	if plugin == Native {
		first := sha1.Sum([]byte(password))
		second := sha1.Sum(first[:])
		return "*" + strings.ToUpper(hex.EncodeToString(second[:])), nil
	}
	salt, err := newSalt()
	if err != nil {
		return "", err
	}
	auth, err := mysql.SerializeCachingSha2PasswordAuthString(password, salt, mysql.DefaultCachingSha2PasswordHashIterations)
	return string(auth), err
}

// saltAlphabet are the characters of a salt: those of the digest beside which it is kept.
const saltAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func newSalt() ([]byte, error) {
	salt := make([]byte, 20)
	if _, err := rand.Read(salt); err != nil {
		return nil, err
	}
	for i, b := range salt {
		salt[i] = saltAlphabet[b%byte(len(saltAlphabet))]
	}
	return salt, nil
}

// validHash tells whether auth is what a plugin keeps of a password.
func validHash(plugin, auth string) bool {
	if auth == "" {
		return true
	}
	if plugin == Native {
		_, err := hex.DecodeString(strings.TrimPrefix(auth, "*"))
		return err == nil && len(auth) == 1+2*sha1.Size && auth[0] == '*'
	}
	const length = len("$A$005$") + 20 + 43
	if len(auth) != length || !strings.HasPrefix(auth, "$A$") {
		return false
	}
	_, _, _, _, err := mysql.DeserializeCachingSha2PasswordAuthString([]byte(auth))
	return err == nil
}

// checks tells whether password is the account's. It takes a millisecond, on purpose.
func (a *Account) checks(password string) bool {
	if a.Auth == "" || a.Plugin != CachingSHA2 {
		return a.Auth == "" && password == ""
	}
	_, iterations, salt, _, err := mysql.DeserializeCachingSha2PasswordAuthString([]byte(a.Auth))
	if err != nil {
		return false
	}
	auth, err := mysql.SerializeCachingSha2PasswordAuthString(password, salt, iterations)
	return err == nil && subtle.ConstantTimeCompare(auth, []byte(a.Auth)) == 1
}

// ChecksNative tells whether scramble is what a client makes of the account's password and
// salt, with mysql_native_password.
func (a *Account) ChecksNative(salt, scramble []byte) bool {
	if a.Auth == "" {
		return len(scramble) == 0
	}
	hash, err := hex.DecodeString(strings.TrimPrefix(a.Auth, "*"))
	return err == nil && a.Plugin == Native && mysql.VerifyHashedMysqlNativePassword(scramble, salt, hash)
}

// digests keeps of passwords that clients have logged in with what is needed to tell in a
// moment that others have the same. Safe for concurrent use.
type digests struct {
	mu  sync.Mutex
	all map[string][sha256.Size]byte // by Auth; guarded by mu
}

// ChecksScramble tells whether scramble is what a client makes of the account's password and
// salt, with caching_sha2_password. It does not if nobody has logged in with the password yet:
// then the client has to send it.
func (s *Store) ChecksScramble(a *Account, salt, scramble []byte) bool {
	if a.Auth == "" || len(scramble) != sha256.Size {
		return a.Auth == "" && len(scramble) == 0
	}
	s.digests.mu.Lock()
	digest, known := s.digests.all[a.Auth]
	s.digests.mu.Unlock()
	if !known {
		return false
	}
	// The scramble is SHA256(password) XOR SHA256(SHA256(SHA256(password)), salt).
	mask := sha256.Sum256(append(bytes.Clone(digest[:]), salt...))
	for i := range mask {
		mask[i] ^= scramble[i]
	}
	got := sha256.Sum256(mask[:])
	return subtle.ConstantTimeCompare(got[:], digest[:]) == 1
}

// ChecksPassword tells whether password is the account's, and remembers it if it is.
func (s *Store) ChecksPassword(a *Account, password string) bool {
	if !a.checks(password) {
		return false
	}
	first := sha256.Sum256([]byte(password))
	s.digests.mu.Lock()
	defer s.digests.mu.Unlock()
	if s.digests.all == nil || len(s.digests.all) >= maxDigests {
		s.digests.all = map[string][sha256.Size]byte{}
	}
	s.digests.all[a.Auth] = sha256.Sum256(first[:])
	return true
}

// maxDigests is how many passwords are remembered.
const maxDigests = 10000
