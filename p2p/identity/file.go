package identity

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

	"ojud/ledger/journal/durable"
)

// maxKeyFile bounds a key file, in bytes: an Ed25519 key takes 93.
const maxKeyFile = 1 << 10

// ErrKeyFileMode is wrapped by the error for a key file that others may read.
var ErrKeyFileMode = errors.New("identity: key file is open to others")

// LoadOrCreate loads the key file, or creates it if there is none, and reports which. Two
// processes that create it at once end with the same key.
func LoadOrCreate(path string) (id Identity, created bool, err error) {
	id, err = Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, false, err
	}
	err = Create(path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Identity{}, false, err
	}
	created = err == nil
	id, err = Load(path)
	return id, created, err
}

// Load reads a key file: a libp2p private key, base64, one line. The error wraps
// fs.ErrNotExist if there is none, and ErrKeyFileMode if others may read or write it.
func Load(path string) (Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file: %w", err)
	}
	if err := checkMode(path, info); err != nil {
		return Identity{}, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file: %w", err)
	}
	return parseKey(path, text)
}

func checkMode(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("identity: key file %s is no regular file", path)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("%w: %s has mode %04o; run: chmod 600 %s", ErrKeyFileMode, path, mode, path)
	}
	return nil
}

// parseKey never quotes the text in an error, because the text may be most of a key.
func parseKey(path string, text []byte) (Identity, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(text) > maxKeyFile {
		return Identity{}, fmt.Errorf("identity: key file %s is not one line of base64", path)
	}
	key, err := crypto.UnmarshalPrivateKey(raw)
	if err != nil {
		return Identity{}, fmt.Errorf("identity: key file %s holds no libp2p private key", path)
	}
	return ofKey(key)
}

// Create makes a new key and writes it to path with mode 0600. The file appears whole or
// not at all. It never replaces an existing file: then the error wraps fs.ErrExist.
func Create(path string) error {
	id, err := New(rand.Reader)
	if err != nil {
		return err
	}
	raw, err := crypto.MarshalPrivateKey(id.key)
	if err != nil {
		return fmt.Errorf("identity: encoding key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("identity: folder of the key file: %w", err)
	}
	text := base64.StdEncoding.EncodeToString(raw) + "\n"
	if err := createFile(path, []byte(text)); err != nil {
		return fmt.Errorf("identity: creating key file: %w", err)
	}
	return nil
}

// createFile writes a new file with mode 0600 so that it survives a power cut. It links a synced
// temporary file to the name, which fails if the name is taken, and syncs the folder. os.CreateTemp
// opens with O_EXCL and mode 0600.
func createFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	return errors.Join(err, os.Remove(f.Name()), durable.Sync(filepath.Dir(path)))
}
