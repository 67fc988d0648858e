package engine

// tlsOptions say how the connections of clients are encrypted.
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
				s.TLSVersions, s.NoTLS = nil, v.text == ""
				if !s.NoTLS && v.text != allTLSVersions {
					s.TLSVersions, err = parseTLSVersions(v.text)
				}
				return err
			}},
		{"auto-generate-certs", "", booleanOption, "ON", 0, 0, "makes certificates where no option names any: in the data directory, or in memory if there is none",
			func(s *settings, v optionValue) error { s.NoGeneratedCerts = !v.on; return nil }},
		{"require-secure-transport", "", booleanOption, "OFF", 0, 0, "refuses clients over TCP that do not use TLS; the variable require_secure_transport changes it",
			func(s *settings, v optionValue) error { s.RequireSecureTransport = v.on; return nil }},
	}
}

// allTLSVersions is what tls-version is where nothing else is said.
const allTLSVersions = "TLSv1.2,TLSv1.3"
