package status

import (
	"net/http"
	"net/http/pprof"
)

// profile answers with a profile of the node, in the format of `go tool pprof`, or with a trace. It
// has no route for the command line, which may hold a key in the URL of an RPC node.
func (a *API) profile(w http.ResponseWriter, r *http.Request) {
	switch name := r.PathValue("profile"); name {
	case "profile":
		pprof.Profile(w, r)
	case "trace":
		pprof.Trace(w, r)
	case "allocs", "block", "goroutine", "heap", "mutex", "threadcreate":
		pprof.Handler(name).ServeHTTP(w, r)
	default:
		a.refuse(w, http.StatusNotFound, "there are profile, trace, allocs, block, goroutine, heap, mutex and threadcreate")
	}
}
