package accounts

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/dolthub/vitess/go/mysql"
)

// Authentication plugins.
const (
	CachingSHA2 = "caching_sha2_password"
	Native      = "mysql_native_password"
)

// hashPassword returns the hash by which a plugin stores a password; "" for an empty password.
func hashPassword(plugin, password string) (string, error) {
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

// saltAlphabet has the characters of a salt. A digest beside the salt has the same characters.
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

// ValidHash reports whether the server has a plugin, and auth has the format of its hashes.
func ValidHash(plugin, auth string) bool {
	return (plugin == CachingSHA2 || plugin == Native) && validHash(plugin, auth)
}

// validHash reports whether auth has the format of a plugin's hashes.
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

// hasPassword reports whether password is the account's. It takes about a millisecond, on purpose.
func (a *Account) hasPassword(password string) bool {
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

// How long a refusal takes reveals nothing: if the account does not exist or has no password, the
// server does the same work with the password of a decoy.

// newDecoy returns an account of a plugin with a hash that no password has.
func newDecoy(plugin string) *Account {
	salt, err := newSalt()
	if err != nil {
		panic(err) // rand.Read never fails
	}
	a := &Account{Plugin: plugin}
	if plugin == Native {
		sum := sha1.Sum(salt)
		a.Auth = "*" + strings.ToUpper(hex.EncodeToString(sum[:]))
		return a
	}
	digest := append(bytes.Clone(salt), salt...)
	a.Auth = "$A$005$" + string(salt) + string(append(digest, "..."...))
	return a
}

// orDecoy returns a if it has a password of the plugin, else the plugin's decoy.
func (s *Store) orDecoy(a *Account, plugin string) *Account {
	if a != nil && a.Auth != "" && a.Plugin == plugin {
		return a
	}
	return s.decoys[plugin]
}

// DecoyPlugin returns the plugin that an unknown user seems to have. It is always the same for a
// name while the accounts stay the same, and a plugin is as frequent as it is among the real
// accounts.
func (s *Store) DecoyPlugin(user string) string {
	mac := hmac.New(sha256.New, []byte(s.decoys[CachingSHA2].Auth))
	_, _ = mac.Write([]byte(user))
	at := float64(binary.LittleEndian.Uint32(mac.Sum(nil))) / (1 << 32)
	if at < s.state.Load().nativeShare {
		return Native
	}
	return CachingSHA2
}

// SignInWork counts the expensive operations of sign-ins: slow password hashes, and scrambles.
type SignInWork struct{ Hashes, Scrambles uint64 }

// SignInWork returns the counts so far.
func (s *Store) SignInWork() SignInWork { return SignInWork{s.hashes.Load(), s.scrambles.Load()} }

// CheckNative reports whether scramble is right for the password of an account and salt, in
// mysql_native_password. The account may be nil.
func (s *Store) CheckNative(a *Account, salt, scramble []byte) bool {
	if len(scramble) == 0 {
		return a != nil && a.Auth == ""
	}
	s.scrambles.Add(1)
	account := s.orDecoy(a, Native)
	hash, err := hex.DecodeString(strings.TrimPrefix(account.Auth, "*"))
	return err == nil && mysql.VerifyHashedMysqlNativePassword(scramble, salt, hash) && account == a
}

// passwordDigests is the cache of caching_sha2_password: a fast digest of each password that a client
// has logged in with. Safe for concurrent use.
type passwordDigests struct {
	mu  sync.Mutex
	all map[string][sha256.Size]byte // by Auth; guarded by mu
}

// CheckScramble reports whether scramble is right for the password of an account and salt, in
// caching_sha2_password. The account may be nil. It reports false while the password is not in the
// cache: then the client has to send it.
func (s *Store) CheckScramble(a *Account, salt, scramble []byte) bool {
	s.scrambles.Add(1)
	account := s.orDecoy(a, CachingSHA2)
	s.passwordDigests.mu.Lock()
	digest, known := s.passwordDigests.all[account.Auth]
	s.passwordDigests.mu.Unlock()
	var given [sha256.Size]byte
	whole := copy(given[:], scramble) == len(scramble) && len(scramble) == len(given)
	// The scramble is SHA256(password) XOR SHA256(SHA256(SHA256(password)), salt).
	mask := sha256.Sum256(append(bytes.Clone(digest[:]), salt...))
	for i := range mask {
		mask[i] ^= given[i]
	}
	got := sha256.Sum256(mask[:])
	return subtle.ConstantTimeCompare(got[:], digest[:]) == 1 && known && whole && account == a
}

// CheckPassword reports whether password is that of an account, which may be nil, and if so puts it
// into the cache.
func (s *Store) CheckPassword(a *Account, password string) bool {
	s.hashes.Add(1)
	account := s.orDecoy(a, CachingSHA2)
	right := account.hasPassword(password)
	if account != a {
		return a != nil && a.Auth == "" && password == ""
	}
	if !right {
		return false
	}
	first := sha256.Sum256([]byte(password))
	s.passwordDigests.mu.Lock()
	defer s.passwordDigests.mu.Unlock()
	if s.passwordDigests.all == nil || len(s.passwordDigests.all) >= maxDigests {
		s.passwordDigests.all = map[string][sha256.Size]byte{}
	}
	s.passwordDigests.all[a.Auth] = sha256.Sum256(first[:])
	return true
}

// maxDigests is the size of the password cache.
const maxDigests = 10000
