package console

import (
	"net/http"
	"time"
)

// idleTime is the most time between two looks at an open page, for what no event tells.
const idleTime = 2 * time.Second

// stream serves the pictures of a page as server-sent events.
func (c *Console) stream(which func(*http.Request) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := which(r)
		if err == nil && !c.live.Shown(v) {
			_, err = c.render(v) // a stream of nothing would be opened again and again
		}
		if err != nil {
			c.failed(w, err)
			return
		}
		viewer, ok := c.live.Join(v)
		if !ok {
			w.Header().Set("Retry-After", "10")
			c.fail(w, http.StatusServiceUnavailable, "This node shows its pages to as many viewers as it can. Reload the page to see it as it is now.")
			return
		}
		defer viewer.Leave()
		if err := viewer.Send(w, r); err != nil {
			c.log.Debug("console: a viewer is gone", "err", err)
		}
	}
}
