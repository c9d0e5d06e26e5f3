package p2p

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/libp2p/go-libp2p/core/crypto"
)

// maxKeyFile bounds a key file, in bytes: an Ed25519 key takes 93.
const maxKeyFile = 1 << 10

// ErrKeyFileMode is wrapped by the error for a key file that others may read.
var ErrKeyFileMode = errors.New("p2p: key file is open to others")

// LoadOrCreateIdentity loads the key file, or creates it if there is none, and
// says which. Two processes that create it at once end with the same key.
func LoadOrCreateIdentity(path string) (id Identity, created bool, err error) {
	id, err = LoadIdentity(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, false, err
	}
	err = CreateIdentity(path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Identity{}, false, err
	}
	created = err == nil
	id, err = LoadIdentity(path)
	return id, created, err
}

// LoadIdentity reads a key file: a libp2p private key, base64, one line. The
// error wraps fs.ErrNotExist if there is none and ErrKeyFileMode if anyone but
// the owner may read or write it.
func LoadIdentity(path string) (Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: key file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: key file: %w", err)
	}
	if err := checkMode(path, info); err != nil {
		return Identity{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: key file: %w", err)
	}
	return parseKey(path, text)
}

func checkMode(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("p2p: key file %s is no regular file", path)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("%w: %s has mode %04o; run: chmod 600 %s", ErrKeyFileMode, path, mode, path)
	}
	return nil
}

// parseKey never quotes the text in an error: it may be most of a key.
func parseKey(path string, text []byte) (Identity, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(text) > maxKeyFile {
		return Identity{}, fmt.Errorf("p2p: key file %s is not one line of base64", path)
	}
	key, err := crypto.UnmarshalPrivateKey(raw)
	if err != nil {
		return Identity{}, fmt.Errorf("p2p: key file %s holds no libp2p private key", path)
	}
	return identityOf(key)
}

// CreateIdentity makes a new key and writes it to path with mode 0600. The file
// appears whole or not at all, and never replaces one that is there: then the
// error wraps fs.ErrExist.
func CreateIdentity(path string) error {
	id, err := NewIdentity(rand.Reader)
	if err != nil {
		return err
	}
	raw, err := crypto.MarshalPrivateKey(id.key)
	if err != nil {
		return fmt.Errorf("p2p: encoding key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("p2p: folder of the key file: %w", err)
	}
	text := base64.StdEncoding.EncodeToString(raw) + "\n"
	if err := createFile(path, []byte(text)); err != nil {
		return fmt.Errorf("p2p: creating key file: %w", err)
	}
	return nil
}
