package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"time"

	"pfsd/engine/datadir"
	"pfsd/engine/errorlog"
	"pfsd/instr"
)

// Names of the files with certificates in a data directory, as MySQL has them.
const (
	CAFile         = "ca.pem"
	caKeyFile      = "ca-key.pem"
	ServerCertFile = "server-cert.pem"
	ServerKeyFile  = "server-key.pem"
	clientCertFile = "client-cert.pem"
	clientKeyFile  = "client-key.pem"
)

// certificateYears is how long a generated certificate is valid.
const certificateYears = 10

// Set has the certificate that a server shows to its clients, and the authority that it checks theirs with.
type Set struct {
	Server tls.Certificate
	Leaf   *x509.Certificate
	CA     *x509.CertPool
	// SelfSigned is true if the authority signed its own certificate.
	SelfSigned bool
}

// maxPEM is the largest file with certificates or a key, in bytes.
const maxPEM = 4 << 20

// files are read without an instrument.
var files *instr.FileClass

// Load reads PEM files; ca may be "". An error names the wrong option.
func Load(ca, cert, key string) (*Set, error) {
	certPEM, err := files.ReadRegular(cert, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot read --ssl-cert %s: %w", cert, errorlog.FileCause(err))
	}
	keyPEM, err := files.ReadRegular(key, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot read --ssl-key %s: %w", key, errorlog.FileCause(err))
	}
	var caPEM []byte
	if ca != "" {
		if caPEM, err = files.ReadRegular(ca, maxPEM); err != nil {
			return nil, fmt.Errorf("cannot read --ssl-ca %s: %w", ca, errorlog.FileCause(err))
		}
	}
	c, err := Parse(caPEM, certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot use --ssl-ca %s, --ssl-cert %s and --ssl-key %s: %w", ca, cert, key, err)
	}
	return c, nil
}

func Parse(ca, cert, key []byte) (*Set, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	c := &Set{Server: pair, Leaf: pair.Leaf}
	if len(ca) == 0 {
		return c, nil
	}
	c.CA = x509.NewCertPool()
	if !c.CA.AppendCertsFromPEM(ca) {
		return nil, errors.New("no certificate of an authority")
	}
	if block, _ := pem.Decode(ca); block != nil {
		first, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		c.SelfSigned = bytes.Equal(first.RawIssuer, first.RawSubject)
	}
	return c, nil
}

// A pemFile is a generated certificate or key.
type pemFile struct {
	Name   string
	Data   []byte
	secret bool
}

// Generate makes an authority, and certificates that it signs for a server and a client. MySQL makes
// RSA keys; these are ECDSA, which takes a hundredth of the time.
func Generate(now time.Time) ([]pemFile, error) {
	from := now.Add(-time.Minute) // clocks differ
	ca, caKey, err := certificate("Auto_Generated_CA_Certificate", 1, from, nil, nil)
	if err != nil {
		return nil, err
	}
	files := []pemFile{{CAFile, certPEM(ca), false}}
	if files, err = appendKey(files, caKeyFile, caKey); err != nil {
		return nil, err
	}
	for i, f := range []struct{ name, cert, key string }{
		{"Auto_Generated_Server_Certificate", ServerCertFile, ServerKeyFile},
		{"Auto_Generated_Client_Certificate", clientCertFile, clientKeyFile},
	} {
		cert, key, err := certificate(f.name, int64(i)+2, from, ca, caKey)
		if err != nil {
			return nil, err
		}
		files = append(files, pemFile{f.cert, certPEM(cert), false})
		if files, err = appendKey(files, f.key, key); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func appendKey(files []pemFile, name string, key *ecdsa.PrivateKey) ([]pemFile, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(files, pemFile{name, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), true}), nil
}

func certPEM(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

// certificate makes a key and a certificate for it, signed by an authority, or self-signed if ca is nil.
func certificate(name string, serial int64, from time.Time, ca *x509.Certificate, caKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: "pfsd_" + name},
		NotBefore:    from, NotAfter: from.AddDate(certificateYears, 0, 0),
		BasicConstraintsValid: true, IsCA: ca == nil,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
	}
	if ca == nil {
		template.KeyUsage = x509.KeyUsageCertSign
		ca, caKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca, &key.PublicKey, caKey)
	if err != nil {
		return nil, nil, err
	}
	c, err := x509.ParseCertificate(der)
	return c, key, err
}

// InDataDir returns the paths of the certificate files in dir, and generates them if none exists. It never
// changes existing files: if some of those that a server needs are missing, it returns none.
func InDataDir(reg *instr.Registry, dir *datadir.Dir, generate bool) (ca, cert, key string, made bool, err error) {
	ca, cert, key = dir.Join(CAFile), dir.Join(ServerCertFile), dir.Join(ServerKeyFile)
	there := 0
	for _, path := range []string{ca, cert, key} {
		if _, err := os.Stat(path); err == nil {
			there++
		}
	}
	switch {
	case there == 3:
		return ca, cert, key, false, nil
	case there > 0 || !generate:
		return "", "", "", false, nil
	}
	generated, err := Generate(time.Now())
	if err != nil {
		return "", "", "", false, err
	}
	files := make([]datadir.File, len(generated))
	for i, f := range generated {
		files[i] = datadir.File{Name: f.Name, Text: f.Data, Perm: 0o644}
		if f.secret {
			files[i].Perm = 0o600
		}
	}
	if err := dir.WriteAll(reg.NewFileClass("sql/certificates"), files); err != nil {
		return "", "", "", false, fmt.Errorf("cannot write certificates into %s: %w", dir.Join(""), errorlog.FileCause(err))
	}
	return ca, cert, key, true, nil
}
