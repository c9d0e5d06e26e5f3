package shelf

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gagliardetto/solana-go"

	"ojud/datasource"
	"ojud/datasource/kind"
)

// sample makes up a request that does nothing but read, and says what it asks for. To call a tool or to POST might do something, so
// none is made up for them.
func (s *Shelf) sample(src datasource.Source) (json.RawMessage, string) {
	request, asked := map[string]any{}, AskedNothing
	switch u := src.Upstream.(type) {
	case *kind.MCP:
		return nil, AskedServer
	case *kind.HTTP:
		if u.Method != "" && u.Method != http.MethodGet {
			return nil, AskedNothing
		}
		for _, name := range variables(u.URL) {
			request[name] = "1"
		}
		asked = AskedAnswer
	case *kind.Files:
		if name := s.someFile(u); name != "" {
			request["name"], asked = name, AskedAnswer
		}
	case *kind.SQLite:
		name := sortedNames(u.Queries)[0]
		for _, p := range u.Queries[name].Parameters {
			request[p] = nil
		}
		if asked = AskedAnswer; len(u.Queries) > 1 {
			request["query"] = name
		}
	case *kind.Solana:
		if request = chainSample(u); request != nil {
			asked = AskedAnswer
		}
	}
	raw, err := json.Marshal(request)
	if err != nil || asked != AskedAnswer || !fits(src, raw) {
		return nil, AskedNothing
	}
	return raw, asked
}

// fits reports whether the source takes the request.
func fits(src datasource.Source, request json.RawMessage) bool {
	card, err := src.Card().Encode()
	if err != nil {
		return false
	}
	_, shape, err := datasource.ParseCard(card)
	if err != nil {
		return false
	}
	_, err = shape.Request(request)
	return err == nil
}

// single is the file of a source of one file.
func single(u *kind.Files) string {
	if len(u.Allow) == 1 && !strings.ContainsAny(u.Allow[0], `*?[\`) {
		return u.Allow[0]
	}
	return ""
}

const mostLooked = 10_000 // files

// someFile is a file that may be given out.
func (s *Shelf) someFile(u *kind.Files) (found string) {
	dir, looked := u.Dir, 0
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.deps.Home, dir)
	}
	if name := single(u); name != "" {
		return name
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if looked++; err != nil || looked > mostLooked {
			return fs.SkipAll
		}
		allowed := slices.ContainsFunc(u.Allow, func(pattern string) bool {
			ok, err := path.Match(pattern, name)
			return err == nil && ok
		})
		if allowed && entry.Type().IsRegular() {
			found = name
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return found
}

// chainSample asks for an account or a transaction. The system program is on every cluster, and no transaction has a signature of zeros.
// Nil: the owner allows only what cannot be guessed.
func chainSample(u *kind.Solana) map[string]any {
	switch {
	case u.Read == "transaction" && len(u.Addresses) > 0:
		return nil
	case u.Read == "transaction":
		return map[string]any{"signature": solana.Signature{}.String()}
	case u.Address != nil:
		return map[string]any{}
	case len(u.Addresses) > 0:
		return map[string]any{"address": u.Addresses[0].String()}
	case len(u.Owners) > 0:
		return nil
	}
	return map[string]any{"address": solana.SystemProgramID.String()}
}
