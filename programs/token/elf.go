// Package token has the programs of tokens as clusters run them: SPL Token, Token-2022 and the
// Associated Token Account program. The embedded chain loads them at genesis, at their real
// addresses. README.md says where the files come from.
package token

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
)

//go:embed token.so.gz
var tokenELF string

//go:embed token2022.so.gz
var token2022ELF string

//go:embed ata.so.gz
var associatedELF string

// maxELF bounds what a file holds: the longest has 615,936 bytes.
const maxELF = 1 << 20

// SPL returns the ELF of SPL Token.
func SPL() ([]byte, error) { return unpack("token", tokenELF) }

// Token2022 returns the ELF of Token-2022.
func Token2022() ([]byte, error) { return unpack("token2022", token2022ELF) }

// Associated returns the ELF of the Associated Token Account program.
func Associated() ([]byte, error) { return unpack("ata", associatedELF) }

func unpack(name, packed string) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader([]byte(packed)))
	if err != nil {
		return nil, fmt.Errorf("token: %s.so.gz: %w", name, err)
	}
	elf, err := io.ReadAll(io.LimitReader(z, maxELF))
	if err != nil {
		return nil, fmt.Errorf("token: %s.so.gz: %w", name, err)
	}
	return elf, nil
}
