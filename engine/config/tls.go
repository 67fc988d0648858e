package config

import (
	"crypto/tls"
	"fmt"
	"slices"
	"strings"
)

// tlsOptions are the options about the encryption of clients' connections.
func tlsOptions() []option {
	return []option{
		{"ssl-ca", "FILE", textOption, "", 0, 0, "certificates of the authorities, PEM; relative to the data directory",
			func(s *settings, v optionValue) error { s.SSLCA = v.text; return nil }},
		{"ssl-cert", "FILE", textOption, "", 0, 0, "the server's certificate, PEM; relative to the data directory",
			func(s *settings, v optionValue) error { s.SSLCert = v.text; return nil }},
		{"ssl-key", "FILE", textOption, "", 0, 0, "the key of the server's certificate, PEM; relative to the data directory",
			func(s *settings, v optionValue) error { s.SSLKey = v.text; return nil }},
		{"tls-version", "LIST", textOption, allTLSVersions, 0, 0, "versions of TLS that clients may use; empty is none, so that no connection is encrypted",
			func(s *settings, v optionValue) (err error) {
				s.TLSVersions, s.TLS = nil, Default
				if v.text == "" {
					s.TLS = Off
				} else if v.text != allTLSVersions {
					s.TLSVersions, err = ParseTLSVersions(v.text)
				}
				return err
			}},
		{"auto-generate-certs", "", booleanOption, "ON", 0, 0, "makes certificates where no option names any: in the data directory, or in memory if there is none",
			func(s *settings, v optionValue) error { s.GeneratedCerts = SwitchOf(v.on); return nil }},
		{"require-secure-transport", "", booleanOption, "OFF", 0, 0, "refuses clients over TCP that do not use TLS; the variable require_secure_transport changes it",
			func(s *settings, v optionValue) error { s.RequireSecureTransport = v.on; return nil }},
	}
}

// allTLSVersions is the default of tls-version.
const allTLSVersions = "TLSv1.2,TLSv1.3"

// tlsVersions are the versions of the protocol, by MySQL's names.
var tlsVersions = []struct {
	name    string
	version uint16
}{{"TLSv1.2", tls.VersionTLS12}, {"TLSv1.3", tls.VersionTLS13}}

// ParseTLSVersions parses a list of versions in the form of the option tls-version.
func ParseTLSVersions(list string) ([]string, error) {
	var versions []string
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(tlsVersions, func(v struct {
			name    string
			version uint16
		}) bool {
			return strings.EqualFold(v.name, strings.TrimSpace(name))
		})
		if i < 0 {
			return nil, fmt.Errorf("value '%s' is not of TLSv1.2 and TLSv1.3", list)
		}
		versions = append(versions, tlsVersions[i].name)
	}
	slices.Sort(versions)
	return slices.Compact(versions), nil
}

// TLSVersionNames returns the versions of the protocol that o allows, as tls_version lists them.
func TLSVersionNames(o Options) string {
	if !o.TLS.Enabled() {
		return ""
	}
	var names []string
	for _, v := range TLSVersions(o) {
		names = append(names, TLSVersionName(v))
	}
	return strings.Join(names, ",")
}

// TLSVersions returns the versions of the protocol that o allows, in their order.
func TLSVersions(o Options) (all []uint16) {
	for _, v := range tlsVersions {
		if len(o.TLSVersions) == 0 || slices.Contains(o.TLSVersions, v.name) {
			all = append(all, v.version)
		}
	}
	return all
}

// TLSVersionName returns MySQL's name of a version of the protocol.
func TLSVersionName(version uint16) string {
	for _, v := range tlsVersions {
		if v.version == version {
			return v.name
		}
	}
	return tls.VersionName(version)
}
