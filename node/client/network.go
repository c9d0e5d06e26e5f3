package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ojud/node"
)

// networkTime bounds fetching network.json.
const networkTime = 15 * time.Second

// LoadNetwork reads network.json from an http(s) URL or a file. A URL without a path means /network.json there. transport may be
// nil.
func LoadNetwork(ctx context.Context, ref string, transport http.RoundTripper) (node.Descriptor, error) {
	var raw []byte
	var err error
	if isURL(ref) {
		raw, err = download(ctx, networkURL(ref), transport)
	} else {
		raw, err = readFile(ref, node.MaxDescriptor)
	}
	if err != nil {
		return node.Descriptor{}, fmt.Errorf("client: network %s: %w", ref, err)
	}
	d, err := node.ParseDescriptor(raw)
	if err != nil {
		return node.Descriptor{}, fmt.Errorf("client: network %s: %w", ref, err)
	}
	return d, nil
}

func isURL(ref string) bool {
	return strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://")
}

func networkURL(ref string) string {
	u, err := url.Parse(ref)
	if err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = "/network.json"
		return u.String()
	}
	return ref // what cannot be parsed is refused by the request
}

// download gets at most node.MaxDescriptor bytes.
func download(ctx context.Context, where string, transport http.RoundTripper) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, networkTime)
	defer cancel()
	return get(ctx, &http.Client{Transport: transport}, where, node.MaxDescriptor)
}

// get reads an answer of at most limit bytes.
func get(ctx context.Context, client *http.Client, where string, limit int64) (raw []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w; is it running there?", err)
	}
	raw, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server says %s: %.300s", resp.Status, strings.TrimSpace(string(raw)))
	case int64(len(raw)) > limit:
		return nil, fmt.Errorf("the answer is larger than %d bytes", limit)
	}
	return raw, nil
}
