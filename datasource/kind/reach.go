package kind

import (
	"context"
	"fmt"
	"net/url"
)

// Reacher is implemented by the settings of a server that can be reached without a request.
type Reacher interface {
	// Reach connects to the server and returns why it cannot.
	Reach(ctx context.Context, env Env) error
}

// Reach implements Reacher.
func (h *HTTP) Reach(ctx context.Context, env Env) error {
	template, err := parseURL("url", h.URL)
	if err != nil {
		return err
	}
	u, err := url.Parse(template.base)
	if err != nil {
		return wrong("url", "cannot be read")
	}
	address := u.Host
	if u.Port() == "" {
		address += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	c, err := newDialer(h.Network, env.complete()).dial(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDown, err)
	}
	return c.Close()
}
