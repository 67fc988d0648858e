package wire

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/netip"
	"sync"

	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/throttle"
)

// authServer authenticates clients for the protocol layer. A client that is refused cannot find out
// whether the account exists or has a password: neither the answers nor the time that they take
// differ. Safe for concurrent use.
type authServer struct {
	store    *accounts.Store
	skip     bool // every client may sign in
	key      func() (*rsa.PrivateKey, error)
	throttle *throttle.Throttle
	// wait calls do, whose context ends when the client need not wait any more: it has gone, or the server stops.
	wait func(c *mysql.Conn, do func(context.Context))
}

// wireOf returns the Conn of the protocol layer's connection c.
func wireOf(c *mysql.Conn) *Conn { return c.Conn.(*Conn) }

// NewAuthServer signs clients in to the accounts of store, or every client if skip is true. wait
// calls do, whose context ends when the client need not wait any more.
func NewAuthServer(store *accounts.Store, skip bool, t *throttle.Throttle, wait func(c *mysql.Conn, do func(context.Context))) mysql.AuthServer {
	key := sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, keyBits) })
	return securing{&authServer{store, skip, key, t, wait}}
}

// keyBits is the size of the key with which clients encrypt their password on a connection that is
// not encrypted, as in MySQL.
const keyBits = 2048

// AuthMethods implements mysql.AuthServer.
func (s *authServer) AuthMethods() []mysql.AuthMethod {
	return []mysql.AuthMethod{sha2Method{s}, nativeMethod{s}}
}

// DefaultAuthMethodDescription implements mysql.AuthServer.
func (s *authServer) DefaultAuthMethodDescription() mysql.AuthMethodDescription {
	return mysql.CachingSha2Password
}

// account returns the account of a client, nil if there is none.
func (s *authServer) account(c *mysql.Conn, user string) *accounts.Account {
	from := accounts.Client{User: user, Host: wireOf(c).Host}
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		from.Addr = a.IP
	}
	return s.store.Match(from)
}

// isPlugin reports whether the account of the client uses plugin.
func (s *authServer) isPlugin(c *mysql.Conn, user, plugin string) bool {
	if s.skip {
		return true
	}
	if a := s.account(c, user); a != nil {
		return a.Plugin == plugin
	}
	return s.store.DecoyPlugin(user) == plugin
}

// Login is what the protocol layer learns of a client that has signed in. It implements
// mysql.Getter.
type Login struct {
	Account  *accounts.Account // nil if every client may sign in
	Password bool              // the client has sent a password
}

// Get implements mysql.Getter.
func (Login) Get() *querypb.VTGateCallerID { return nil }

// errTooManyWait is the error of an attempt that would have to wait while too many other attempts
// wait.
var errTooManyWait = mysql.NewSQLError(1040, "08004", "Too many connections")

// admit decides whether a client may sign in; proved reports whether its password was right. After
// failed attempts it waits first.
func (s *authServer) admit(c *mysql.Conn, user string, a *accounts.Account, password, proved bool) (mysql.Getter, error) {
	if s.skip {
		return Login{nil, password}, nil
	}
	from := throttle.Client{User: user, Host: wireOf(c).Host}
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		from.Addr, _ = netip.AddrFromSlice(tcp.IP)
	}
	var err error
	s.wait(c, func(ctx context.Context) {
		attempt := s.throttle.Begin(ctx, from)
		defer attempt.Waited()
		if attempt.Refused {
			err = errTooManyWait
			return
		}
		if err = s.judge(c, user, a, password, proved); err != nil {
			attempt.Failed()
		}
		if !attempt.Delayed(ctx) {
			err = errTooManyWait
		}
		if err == nil {
			attempt.Succeeded()
		}
	})
	if err != nil {
		return nil, err
	}
	return Login{a, password}, nil
}

// judge returns the error of a client that may not sign in, nil if it may.
func (s *authServer) judge(c *mysql.Conn, user string, a *accounts.Account, password, proved bool) error {
	host := wireOf(c).Host
	if a != nil {
		if err := s.store.Attempt(a, proved); err != nil {
			return err
		}
	}
	switch {
	case a == nil || !proved:
		return mysqlerr.Login(user, host, password)
	case a.Locked:
		return mysql.NewSQLError(3118, "HY000", "Access denied for user '%s'@'%s'. Account is locked.", user, host)
	case a.RequireTLS && wireOf(c).tls == nil:
		return mysqlerr.Login(user, host, password)
	case a.Expired && !wireOf(c).knowsExpired():
		return mysql.NewSQLError(1862, "HY000", "Your password has expired. To log in you must change it using a client that supports expired passwords.")
	}
	return nil
}

// canHandleExpired is the capability of a client that can have its user set a new password.
const canHandleExpired = 1 << 22

// knowsExpired reports whether the client can have its user set a new password.
func (w *Conn) knowsExpired() bool {
	return w.hello != nil && w.hello.capabilities&canHandleExpired != 0
}

// sha2Method is the method caching_sha2_password.
type sha2Method struct{ *authServer }

// Name implements mysql.AuthMethod.
func (sha2Method) Name() mysql.AuthMethodDescription { return mysql.CachingSha2Password }

// HandleUser implements mysql.AuthMethod.
func (m sha2Method) HandleUser(c *mysql.Conn, user string) bool {
	return m.isPlugin(c, user, accounts.CachingSHA2)
}

// AllowClearTextWithoutTLS implements mysql.AuthMethod.
func (sha2Method) AllowClearTextWithoutTLS() bool { return true }

// AuthPluginData implements mysql.AuthMethod.
func (sha2Method) AuthPluginData() ([]byte, error) { return newSalt() }

// newSalt returns the salt with which a client scrambles its password. It ends with a zero.
func newSalt() ([]byte, error) {
	salt, err := mysql.NewSalt()
	return append(salt, 0), err
}

// HandleAuthPluginData implements mysql.AuthMethod.
func (m sha2Method) HandleAuthPluginData(c *mysql.Conn, user string, salt, response []byte, _ net.Addr) (mysql.Getter, error) {
	a := m.account(c, user)
	if len(response) == 1 {
		response = withoutZero(response)
	}
	if len(response) == 0 || m.skip {
		return m.admit(c, user, a, len(response) > 0, a != nil && a.Auth == "")
	}
	if m.store.CheckScramble(a, withoutZero(salt), response) {
		g, err := m.admit(c, user, a, true, true)
		if err == nil {
			err = m.sendMore(c, fastAuth)
		}
		return g, err
	}
	password, err := m.askPassword(c, salt)
	if err != nil {
		return nil, err
	}
	return m.admit(c, user, a, password != "", m.store.CheckPassword(a, password))
}

// withoutZero returns p without the zero at its end.
func withoutZero(p []byte) []byte { return bytes.TrimSuffix(p, []byte{0}) }

// Packets of caching_sha2_password, of the server and of the client.
const (
	moreData = 0x01 // precedes the data of the server
	fastAuth = 0x03 // the server knows the password
	fullAuth = 0x04 // the server asks for the password
	wantsKey = 0x02 // the client asks for the key that encrypts the password
)

// askPassword asks the client for its password.
func (m sha2Method) askPassword(c *mysql.Conn, salt []byte) (string, error) {
	if err := m.sendMore(c, fullAuth); err != nil {
		return "", err
	}
	p, err := m.receive(c)
	if err != nil {
		return "", err
	}
	if len(p) != 1 || p[0] != wantsKey {
		if !wireOf(c).secure() {
			return m.decrypted(p, salt) // the client has the key already
		}
		return string(withoutZero(p)), nil
	}
	key, err := m.key()
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return "", err
	}
	if err := m.sendMore(c, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})...); err != nil {
		return "", err
	}
	if p, err = m.receive(c); err != nil {
		return "", err
	}
	return m.decrypted(p, salt)
}

// decrypted returns a password that the client has encrypted with the server's key, "" if it cannot
// be decrypted.
func (m sha2Method) decrypted(p, salt []byte) (string, error) {
	key, err := m.key()
	if err != nil {
		return "", err
	}
	plain, err := rsa.DecryptOAEP(sha1.New(), rand.Reader, key, p, nil)
	if err != nil {
		return "", nil
	}
	salt = withoutZero(salt)
	for i := range plain {
		plain[i] ^= salt[i%len(salt)]
	}
	return string(withoutZero(plain)), nil
}

// sendMore sends a packet before the answer to a login, past the protocol layer.
func (sha2Method) sendMore(c *mysql.Conn, data ...byte) error {
	w := wireOf(c)
	n := len(data) + 1
	p := append([]byte{byte(n), byte(n >> 8), byte(n >> 16), w.out.sequence + 1, moreData}, data...)
	w.out.skip(p)
	w.lag++
	_, err := w.Conn.Write(p)
	return err
}

// receive reads the payload of a packet, past the protocol layer.
func (sha2Method) receive(c *mysql.Conn) ([]byte, error) {
	w := wireOf(c)
	p, err := w.readPacket()
	if err != nil {
		return nil, err
	}
	w.lag++
	return p[len(w.in.head):], nil
}

// nativeMethod is the method mysql_native_password.
type nativeMethod struct{ *authServer }

// Name implements mysql.AuthMethod.
func (nativeMethod) Name() mysql.AuthMethodDescription { return mysql.MysqlNativePassword }

// HandleUser implements mysql.AuthMethod. A client without a password, of an account that needs none, may use this method as well.
func (m nativeMethod) HandleUser(c *mysql.Conn, user string) bool {
	if a := m.account(c, user); a != nil && a.Auth == "" && wireOf(c).hello.hasNoPassword() {
		return true
	}
	return m.isPlugin(c, user, accounts.Native)
}

// AllowClearTextWithoutTLS implements mysql.AuthMethod.
func (nativeMethod) AllowClearTextWithoutTLS() bool { return true }

// AuthPluginData implements mysql.AuthMethod.
func (nativeMethod) AuthPluginData() ([]byte, error) { return newSalt() }

// HandleAuthPluginData implements mysql.AuthMethod.
func (m nativeMethod) HandleAuthPluginData(c *mysql.Conn, user string, salt, response []byte, _ net.Addr) (mysql.Getter, error) {
	a := m.account(c, user)
	return m.admit(c, user, a, len(response) > 0, m.store.CheckNative(a, withoutZero(salt), response))
}
