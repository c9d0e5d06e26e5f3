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

// LoadOrCreateIdentity loads the key file, or creates it if there is none, and reports which. Two
// processes that create it at once end with the same key.
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

// LoadIdentity reads a key file: a libp2p private key, base64, one line. The error wraps
// fs.ErrNotExist if there is none, and ErrKeyFileMode if others may read or write it.
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

// parseKey never quotes the text in an error, because the text may be most of a key.
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

// CreateIdentity makes a new key and writes it to path with mode 0600. The file appears whole or
// not at all. It never replaces an existing file: then the error wraps fs.ErrExist.
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

// createFile writes a new file with mode 0600 so that it survives a power cut. It links a synced
// temporary file to the name, which fails if the name is taken, and syncs the folder.
func createFile(path string, data []byte) error {
	tmp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	err = os.Link(tmp, path)
	return errors.Join(err, os.Remove(tmp), syncDir(path))
}

// replaceFile is createFile for a name that may be taken. The old content stays until the new one
// is on disk.
func replaceFile(path string, data []byte) error {
	tmp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(path)
}

// writeTemp writes and syncs a temporary file beside path. os.CreateTemp opens
// with O_EXCL and mode 0600.
func writeTemp(path string, data []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
