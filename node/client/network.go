package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"ojud/node"
	"ojud/node/library"
)

// networkTime bounds the download of network.json.
const networkTime = 15 * time.Second

// URL adds http:// to HOST:PORT, such as 127.0.0.1:8899. It returns every other text as it is.
func URL(text string) string {
	if _, port, err := net.SplitHostPort(text); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err == nil {
			return "http://" + text
		}
	}
	return text
}

// LoadNetwork reads network.json from a file, an http(s) URL or HOST:PORT. A URL without a path
// means /network.json there. The transport may be nil.
func LoadNetwork(ctx context.Context, ref string, transport http.RoundTripper) (node.Descriptor, error) {
	var raw []byte
	var err error
	if _, missing := os.Stat(ref); missing != nil {
		ref = URL(ref)
	}
	if isURL(ref) {
		raw, err = download(ctx, networkURL(ref), transport)
	} else {
		raw, err = library.ReadFile(ref, node.MaxDescriptor)
	}
	if err != nil {
		return node.Descriptor{}, fmt.Errorf("client: network %s: %w", ref, err)
	}
	if text := bytes.TrimSpace(raw); len(text) > 0 && text[0] == '<' {
		return node.Descriptor{}, fmt.Errorf("client: network %s: this is a web page, not the network.json of a court; give the URL of the file itself", ref)
	}
	d, err := node.DescriptorFrom(ref, raw)
	if err != nil {
		return node.Descriptor{}, fmt.Errorf("client: network %s: this is not the network.json of a court: %w", ref, err)
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
	return ref // the request refuses a URL that cannot be parsed
}

// download gets at most node.MaxDescriptor bytes.
func download(ctx context.Context, where string, transport http.RoundTripper) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, networkTime)
	defer cancel()
	return get(ctx, &http.Client{Transport: transport}, where, node.MaxDescriptor)
}

// get downloads an answer of at most limit bytes.
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
