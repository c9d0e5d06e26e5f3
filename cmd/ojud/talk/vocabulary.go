package talk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"ojud/agent/talk/owner"
	"ojud/cmd/ojud/cli"
	"ojud/node/library"
)

// maxVocabularies bounds the vocabularies of a command. Terms name at most eight.
const maxVocabularies = 32

// vocabularies reads those of --ontology: an address, a file, or ADDRESS=FILE.
func vocabularies(ctx context.Context, names []string) (all owner.Vocabularies, err error) {
	if len(names) > maxVocabularies {
		return nil, cli.Usage("--ontology is given %d times; at most %d", len(names), maxVocabularies)
	}
	for _, name := range names {
		url, file, both := strings.Cut(name, "=")
		var raw []byte
		switch remote := strings.HasPrefix(url, "https://"); {
		case remote && !both:
			raw, err = fetched(ctx, url)
		case remote:
			raw, err = library.ReadFile(file, owner.MaxVocabulary)
		default:
			url = ""
			raw, err = library.ReadFile(name, owner.MaxVocabulary)
		}
		var v owner.Vocabulary
		if err == nil {
			v, err = owner.ReadVocabulary(url, raw)
		}
		if err != nil {
			return nil, cli.Usage("--ontology %.200s: %v", name, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// fetched gets a vocabulary from the address that the person gave. Terms name it by its hash, so it
// does not matter who serves it.
func fetched(ctx context.Context, url string) (raw []byte, err error) {
	const patience = 20 * time.Second
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := (&http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Scheme != "https" {
			return errors.New("it leads to an address without https")
		}
		return nil
	}}).Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers with status %d", answer.StatusCode)
	}
	return io.ReadAll(io.LimitReader(answer.Body, owner.MaxVocabulary+1))
}
