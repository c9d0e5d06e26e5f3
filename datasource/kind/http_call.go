package kind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"ojud/schema/pointer"
)

type api struct {
	*HTTP
	template urlTemplate
	client   *http.Client
	secrets  *secrets
	maxBytes int
}

func (a *api) Close() error {
	a.client.CloseIdleConnections()
	return nil
}

func (a *api) Answer(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	fields, err := members(raw)
	if err != nil {
		return nil, err
	}
	request, err := a.request(ctx, fields)
	if err != nil {
		return nil, err
	}
	response, err := a.client.Do(request) //nolint:bodyclose // readBounded closes it
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", request.Method, a.place(), reached(err))
	}
	body, err := readBounded(response.Body, a.maxBytes)
	if err != nil && !errors.Is(err, ErrLarge) {
		return nil, fmt.Errorf("%w: %s: reading the answer: %w", ErrDown, a.place(), err)
	}
	if response.StatusCode == http.StatusNotFound && len(a.Missing) > 0 {
		return a.Missing, nil
	}
	if refused := status(a.place(), response.StatusCode); refused != nil || err != nil {
		return nil, errors.Join(refused, err)
	}
	return a.part(response.Header.Get("Content-Type"), body)
}

// place returns the URL as the owner wrote it, without values of secrets and without the query.
func (a *api) place() string { return a.template.base + a.template.path }

// withoutQuery cuts the query off a URL, because it may hold a key.
func withoutQuery(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url
}

// reached removes the URL, which may hold a key, from an error of net/http.
func reached(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrSlow, err)
	}
	return err
}

// status makes an error from a status other than success.
func status(place string, code int) error {
	class := ErrDown
	switch {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusRequestTimeout || code == http.StatusGatewayTimeout:
		class = ErrSlow
	case code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusTooManyRequests || code < 400:
		class = ErrRefused
	case code < 500:
		class = ErrRequest
	}
	return fmt.Errorf("%w: %s says %d %s", class, place, code, http.StatusText(code))
}

func (a *api) request(ctx context.Context, fields map[string]any) (*http.Request, error) {
	u, err := a.template.fill(fields, a.secrets)
	if err != nil {
		return nil, err
	}
	if err := a.addQuery(u, fields); err != nil {
		return nil, err
	}
	if err := checkHost(u, a.Hosts); err != nil {
		return nil, err
	}
	body, err := a.body(fields)
	if err != nil {
		return nil, err
	}
	method := a.Method
	if method == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%w: no request can be made of it", ErrRequest)
	}
	r.Header.Set("Accept", "application/json, text/*;q=0.5")
	r.Header.Set("User-Agent", "ojud")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, headers(r.Header, a.Headers, a.secrets)
}

func (a *api) addQuery(u *url.URL, fields map[string]any) error {
	var pairs []string
	if u.RawQuery != "" {
		pairs = append(pairs, u.RawQuery)
	}
	for _, name := range sorted(a.Query) {
		value, err := expand(a.Query[name], fields, a.secrets, func(v string) (string, error) { return v, nil })
		if errors.Is(err, errAbsent) {
			continue
		}
		if err != nil {
			return err
		}
		pairs = append(pairs, escape(name)+"="+escape(value))
	}
	u.RawQuery = strings.Join(pairs, "&")
	if len(u.RawQuery) > maxURL {
		return fmt.Errorf("%w: its URL is longer than %d bytes", ErrRequest, maxURL)
	}
	return nil
}

func (a *api) body(fields map[string]any) (io.Reader, error) {
	if len(a.Body) == 0 {
		return nil, nil
	}
	template, err := DecodeJSON(a.Body)
	if err != nil {
		return nil, err
	}
	filled, err := a.filled(template, fields)
	if err != nil {
		return nil, err
	}
	raw, err := encode(filled)
	return bytes.NewReader(raw), err
}

// filled puts members of the request and secrets into a body.
func (a *api) filled(doc any, fields map[string]any) (any, error) {
	var err error
	switch v := doc.(type) {
	case string:
		if whole := variable.FindStringSubmatch(v); whole != nil && whole[0] == v {
			return fields[whole[1]], nil
		}
		return a.secrets.resolve(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			if out[i], err = a.filled(item, fields); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			if out[name], err = a.filled(item, fields); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return doc, nil
}

func (a *api) part(contentType string, body []byte) (json.RawMessage, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, fmt.Errorf("%w: no content type that can be read", ErrSchema)
	}
	var doc any
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		if doc, err = parse(body, a.maxBytes); err != nil {
			return nil, err
		}
	case strings.HasPrefix(kind, "text/"):
		if !utf8.Valid(body) {
			return nil, fmt.Errorf("%w: text that is no UTF-8", ErrSchema)
		}
		doc = map[string]any{"text": string(body)}
	default:
		return nil, fmt.Errorf("%w: content type %.60q is neither JSON nor text", ErrSchema, kind)
	}
	if doc, err = pointer.Find(doc, a.Pointer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return encode(doc)
}
