package mysqlfuncs

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/sqlexpr"
)

// aesMode returns block_encryption_mode: the size of a key in bytes, and whether blocks are chained.
func aesMode(ctx *sql.Context) (key int, chained bool, err error) {
	name := "aes-128-ecb"
	if v, err := ctx.GetSessionVariable(ctx, "block_encryption_mode"); err == nil {
		if s, ok := v.(string); ok {
			name = strings.ToLower(s)
		}
	}
	parts := strings.Split(name, "-")
	if len(parts) == 3 {
		key = map[string]int{"128": 16, "192": 24, "256": 32}[parts[1]]
		chained = parts[2] == "cbc"
	}
	if key == 0 || !chained && parts[2] != "ecb" {
		return 0, false, mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'block_encryption_mode %s'", name)
	}
	return key, chained, nil
}

// aesBlock returns the cipher of AES_ENCRYPT and AES_DECRYPT with a key of any length, and the
// initialization vector, nil if blocks are not chained.
func aesBlock(ctx *sql.Context, c *sqlexpr.Call, args []any) (block cipher.Block, first []byte, err error) {
	size, chained, err := aesMode(ctx)
	if err != nil {
		return nil, nil, err
	}
	text, err := c.Text(ctx, 1, args[1])
	if err != nil {
		return nil, nil, err
	}
	key := make([]byte, size)
	for i := range len(text) {
		key[i%size] ^= text[i]
	}
	if block, err = aes.NewCipher(key); err != nil || !chained {
		return block, nil, err
	}
	if len(args) < 3 {
		return nil, nil, mysql.NewSQLError(1582, "42000", "Incorrect parameter count in the call to native function '%s'", c.Name)
	}
	vector, err := c.Text(ctx, 2, args[2])
	if err != nil {
		return nil, nil, err
	}
	if len(vector) < aes.BlockSize {
		return nil, nil, mysql.NewSQLError(1882, "HY000", "The initialization vector supplied to %s is too short. Must be at least %d bytes long", c.Name, aes.BlockSize)
	}
	return block, []byte(vector[:aes.BlockSize]), nil
}

// eachBlock calls f for each block of a text.
func eachBlock(text []byte, f func(to, from []byte)) {
	for at := 0; at < len(text); at += aes.BlockSize {
		f(text[at:at+aes.BlockSize], text[at:at+aes.BlockSize])
	}
}

func aesEncrypt(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	block, first, err := aesBlock(ctx, c, args)
	if err != nil {
		return nil, err
	}
	plain, err := c.Text(ctx, 0, args[0])
	if err != nil {
		return nil, err
	}
	padding := aes.BlockSize - len(plain)%aes.BlockSize
	text := append([]byte(plain), bytes.Repeat([]byte{byte(padding)}, padding)...)
	if first != nil {
		cipher.NewCBCEncrypter(block, first).CryptBlocks(text, text)
	} else {
		eachBlock(text, block.Encrypt)
	}
	return text, nil
}

func aesDecrypt(ctx *sql.Context, c *sqlexpr.Call, args []any) (any, error) {
	block, first, err := aesBlock(ctx, c, args)
	if err != nil {
		return nil, err
	}
	secret, err := c.Text(ctx, 0, args[0])
	if err != nil || secret == "" || len(secret)%aes.BlockSize != 0 {
		return nil, err
	}
	text := []byte(secret)
	if first != nil {
		cipher.NewCBCDecrypter(block, first).CryptBlocks(text, text)
	} else {
		eachBlock(text, block.Decrypt)
	}
	padding := int(text[len(text)-1])
	if padding == 0 || padding > aes.BlockSize || !bytes.HasSuffix(text, bytes.Repeat([]byte{byte(padding)}, padding)) {
		return nil, nil
	}
	return text[:len(text)-padding], nil
}
