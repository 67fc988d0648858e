package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	"pfsd/engine/certs"
	"pfsd/engine/config"
	"pfsd/engine/datadir"
	"pfsd/engine/errorlog"
	"pfsd/engine/sysvar"
)

// Channel encrypts the connections of clients. MySQL's name for it is mysql_main. Safe for
// concurrent use.
type Channel struct {
	options config.Options
	dir     *datadir.Dir
	made    bool                       // this server made the files in the data directory
	current atomic.Pointer[tlsContext] // nil if there is no TLS
	// accepts counts the connections that asked for TLS, finished those that got it, and reused
	// those of them that resumed an earlier session.
	accepts, finished, reused atomic.Uint64
}

// tlsContext is one configuration of a channel.
type tlsContext struct {
	config        *tls.Config
	versions      string // as tls_version lists them
	certificates  *certs.Set
	ca, cert, key string // names of files, "" where there is none
}

// openChannel reads the certificates, or makes them in dir.
func openChannel(o config.Options, dir *datadir.Dir) (*Channel, error) {
	c := &Channel{options: o, dir: dir}
	context, err := c.load(o)
	if err != nil {
		return nil, err
	}
	if context == nil && (o.SSLCA != "" || o.SSLCert != "" || o.SSLKey != "") && o.TLS.Enabled() {
		return nil, errors.New("--ssl-cert and --ssl-key are needed both")
	}
	c.current.Store(context)
	return c, nil
}

// load makes the configuration, nil if there is no TLS.
func (c *Channel) load(o config.Options) (*tlsContext, error) {
	if !o.TLS.Enabled() {
		return nil, nil
	}
	x := &tlsContext{ca: o.SSLCA, cert: o.SSLCert, key: o.SSLKey}
	var err error
	switch {
	case x.cert != "" && x.key != "":
		x.certificates, err = certs.Load(x.ca, x.cert, x.key)
	case x.ca != "" || x.cert != "" || x.key != "":
		return nil, nil
	case c.dir.Persistent():
		if x.ca, x.cert, x.key, c.made, err = certs.InDataDir(o.Registry, c.dir, o.GeneratedCerts.Enabled()); err != nil || x.cert == "" {
			return nil, err
		}
		x.certificates, err = certs.Load(x.ca, x.cert, x.key)
	case !o.GeneratedCerts.Enabled():
		return nil, nil
	default:
		x.certificates, err = memoryCertificates()
	}
	if err != nil {
		return nil, err
	}
	versions := config.TLSVersions(o)
	x.versions = config.TLSVersionNames(o)
	x.config = &tls.Config{
		Certificates: []tls.Certificate{x.certificates.Server},
		ClientCAs:    x.certificates.CA,
		ClientAuth:   tls.RequestClientCert,
		MinVersion:   versions[0], MaxVersion: versions[len(versions)-1],
	}
	if x.certificates.CA != nil {
		x.config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return x, nil
}

// memoryCertificates generates certificates without files.
func memoryCertificates() (*certs.Set, error) {
	files, err := certs.Generate(time.Now())
	if err != nil {
		return nil, err
	}
	data := map[string][]byte{}
	for _, f := range files {
		data[f.Name] = f.Data
	}
	return certs.Parse(data[certs.CAFile], data[certs.ServerCertFile], data[certs.ServerKeyFile])
}

// report writes to the log which certificates the channel has, and whether there is TLS.
func (c *Channel) report(log *errorlog.Log) {
	o, x := c.options, c.current.Load()
	switch {
	case o.SSLCA != "" || o.SSLCert != "" || o.SSLKey != "":
		log.Write(errorlog.CertsSkipped)
	case !o.GeneratedCerts.Enabled():
		log.Write(errorlog.CertsDisabled)
	case c.made:
		log.Write(errorlog.CertsSaved)
	case o.DataDir != "":
		log.Write(errorlog.CertsExist)
	}
	switch {
	case x != nil:
		if x.certificates.SelfSigned && x.ca != "" {
			log.Write(errorlog.SelfSigned, filepath.Base(x.ca))
		}
		log.Write(errorlog.TLSOn, channelName)
	case o.TLS.Enabled():
		log.Write(errorlog.NoTLS, channelName)
	}
}

// channelName is MySQL's name of the channel for clients.
const channelName = "mysql_main"

// Variables returns the values of the system variables about TLS.
func (c *Channel) Variables() map[string]any {
	values := map[string]any{
		"tls_version":         config.TLSVersionNames(c.options),
		"auto_generate_certs": sysvar.BoolValue(c.options.GeneratedCerts.Enabled()), "require_secure_transport": sysvar.BoolValue(c.options.RequireSecureTransport),
	}
	if x := c.current.Load(); x != nil {
		for name, file := range map[string]string{"ssl_ca": x.ca, "ssl_cert": x.cert, "ssl_key": x.key} {
			if file != "" {
				values[name] = file
			}
		}
	}
	return values
}

// Reload reads the certificates that the variables name, for later connections. If that fails, the
// old certificates stay.
func (c *Channel) Reload(s *sysvar.Server) error {
	o := c.options
	text := func(name string) string {
		value, _ := s.Global(name).(string)
		return value
	}
	o.SSLCA, o.SSLCert, o.SSLKey = text("ssl_ca"), text("ssl_cert"), text("ssl_key")
	o.TLSVersions, o.TLS = nil, config.SwitchOf(text("tls_version") != "")
	if o.TLS.Enabled() {
		var err error
		if o.TLSVersions, err = config.ParseTLSVersions(text("tls_version")); err != nil {
			return err
		}
	}
	x, err := c.load(o)
	if err != nil {
		return err
	}
	if x == nil {
		return errors.New("there are no certificates")
	}
	c.current.Store(x)
	return nil
}

// TurnOff makes later connections have no TLS.
func (c *Channel) TurnOff() { c.current.Store(nil) }

// Certificate returns the server's certificate, nil if there is no TLS.
func (c *Channel) Certificate() *x509.Certificate {
	if x := c.current.Load(); x != nil {
		return x.certificates.Leaf
	}
	return nil
}

// On reports whether clients can encrypt their connections.
func (c *Channel) On() bool { return c.current.Load() != nil }

// cipherNames maps the ciphers of TLS 1.2 to OpenSSL's names; the names for TLS 1.3 are Go's.
var cipherNames = map[uint16]string{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       "ECDHE-ECDSA-AES128-GCM-SHA256",
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:       "ECDHE-ECDSA-AES256-GCM-SHA384",
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA:          "ECDHE-ECDSA-AES128-SHA",
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA:          "ECDHE-ECDSA-AES256-SHA",
	tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256:         "ECDHE-RSA-AES128-GCM-SHA256",
	tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384:         "ECDHE-RSA-AES256-GCM-SHA384",
	tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256:   "ECDHE-RSA-CHACHA20-POLY1305",
	tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA:            "ECDHE-RSA-AES128-SHA",
	tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA:            "ECDHE-RSA-AES256-SHA",
}

// cipherName returns the name of a cipher in MySQL's status variables.
func cipherName(id uint16) string {
	if name, ok := cipherNames[id]; ok {
		return name
	}
	return tls.CipherSuiteName(id)
}
