package datadir

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// sealMark begins the last line of a file with a seal, before the CRC-32C of what is above it in 8 hexadecimal digits.
const sealMark = "#crc32c "

// Checksum returns the CRC-32C of a text in 8 hexadecimal digits. Safe for concurrent use.
func Checksum(text []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// Seal returns a text with a last line that has its checksum, which Unseal checks.
func Seal(text []byte) []byte {
	text = append(bytes.TrimSuffix(bytes.Clone(text), []byte("\n")), '\n')
	return fmt.Appendf(text, "%s%s\n", sealMark, Checksum(text))
}

// Unseal returns a text without its seal. A text without a seal, as earlier versions wrote it, is returned as it is; whoever edits a file
// removes the line. The error is for a text that has changed since it was sealed.
func Unseal(text []byte) ([]byte, error) {
	at := bytes.LastIndex(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) + 1
	sum, has := bytes.CutPrefix(text[at:], []byte(sealMark))
	if !has {
		return text, nil
	}
	if string(sum) != Checksum(text[:at])+"\n" {
		return nil, fmt.Errorf("it has changed since it was written: its checksum is %s; without its last line it is not checked", Checksum(text[:at]))
	}
	return text[:at], nil
}
