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

// ValidHash tells whether the server knows a plugin, and auth is what it keeps of a password.
func ValidHash(plugin, auth string) bool {
	return (plugin == CachingSHA2 || plugin == Native) && validHash(plugin, auth)
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

// A client learns nothing from how long it takes to be refused: what would be done with the password
// of an account is done with that of a decoy where there is no account, or none with a password.

// newDecoy is an account of a plugin with a password that nobody has.
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

// orDecoy is a, or the decoy of a plugin where a has no password of it.
func (s *Store) orDecoy(a *Account, plugin string) *Account {
	if a != nil && a.Auth != "" && a.Plugin == plugin {
		return a
	}
	return s.decoys[plugin]
}

// DecoyPlugin is the plugin of a user that there is not: the same for a name as long as the accounts
// stay, and each as often as accounts have it.
func (s *Store) DecoyPlugin(user string) string {
	mac := hmac.New(sha256.New, []byte(s.decoys[CachingSHA2].Auth))
	_, _ = mac.Write([]byte(user))
	at := float64(binary.LittleEndian.Uint32(mac.Sum(nil))) / (1 << 32)
	if at < s.state.Load().nativeShare {
		return Native
	}
	return CachingSHA2
}

// Work is how often a Store has done what takes time when clients sign in.
type Work struct{ Hashes, Scrambles uint64 }

// Work is how often that was so far.
func (s *Store) Work() Work { return Work{s.hashes.Load(), s.scrambles.Load()} }

// ChecksNative tells whether scramble is what a client makes of the password of an account, which may
// be nil, and salt, with mysql_native_password.
func (s *Store) ChecksNative(a *Account, salt, scramble []byte) bool {
	if len(scramble) == 0 {
		return a != nil && a.Auth == ""
	}
	s.scrambles.Add(1)
	held := s.orDecoy(a, Native)
	hash, err := hex.DecodeString(strings.TrimPrefix(held.Auth, "*"))
	return err == nil && mysql.VerifyHashedMysqlNativePassword(scramble, salt, hash) && held == a
}

// digests keeps of passwords that clients have logged in with what is needed to tell in a
// moment that others have the same. Safe for concurrent use.
type digests struct {
	mu  sync.Mutex
	all map[string][sha256.Size]byte // by Auth; guarded by mu
}

// ChecksScramble tells whether scramble is what a client makes of the password of an account, which
// may be nil, and salt, with caching_sha2_password. It does not if nobody has logged in with the
// password yet: then the client has to send it.
func (s *Store) ChecksScramble(a *Account, salt, scramble []byte) bool {
	s.scrambles.Add(1)
	held := s.orDecoy(a, CachingSHA2)
	s.digests.mu.Lock()
	digest, known := s.digests.all[held.Auth]
	s.digests.mu.Unlock()
	var given [sha256.Size]byte
	whole := copy(given[:], scramble) == len(scramble) && len(scramble) == len(given)
	// The scramble is SHA256(password) XOR SHA256(SHA256(SHA256(password)), salt).
	mask := sha256.Sum256(append(bytes.Clone(digest[:]), salt...))
	for i := range mask {
		mask[i] ^= given[i]
	}
	got := sha256.Sum256(mask[:])
	return subtle.ConstantTimeCompare(got[:], digest[:]) == 1 && known && whole && held == a
}

// ChecksPassword tells whether password is that of an account, which may be nil, and remembers it if
// it is.
func (s *Store) ChecksPassword(a *Account, password string) bool {
	s.hashes.Add(1)
	held := s.orDecoy(a, CachingSHA2)
	right := held.checks(password)
	if held != a {
		return a != nil && a.Auth == "" && password == ""
	}
	if !right {
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
