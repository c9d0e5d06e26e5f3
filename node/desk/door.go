package desk

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"ojud/node/follow"
)

// The limits of the door.
const (
	maxSessions = 64
	sessionTime = 12 * time.Hour
	maxBody     = 10 << 20 // bytes of a form with its exhibits
	// maxStrangers is how many requests without a login are served at once, and strangerTime is how
	// long one of them may take to arrive.
	maxStrangers = 16
	strangerTime = 3 * time.Second
	maxInvited   = 16
	inviteTime   = 5 * time.Minute
)

// policy is the Content-Security-Policy of every page: nothing inline, nothing from elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// door lets the party in and keeps everybody else out.
type door struct {
	word   string
	cookie string // its name is new for each desk
	// under is before the path of each page of a login. Browsers send a cookie to all ports of a
	// name, so it is for these paths alone: no other server of the machine knows them.
	under string
	room  chan struct{}
	porch chan struct{} // the room of those who have not logged in

	mu       sync.Mutex
	sessions map[string]session
	invited  []invitation // the newest last
}

// invitation is a word that opens one session.
type invitation struct {
	word  string
	until time.Time
}

// session is a browser that showed the word.
type session struct {
	form  string // that each form of it carries
	until time.Time
}

func newDoor() *door {
	return &door{word: rand.Text(), cookie: "ojud_desk_" + rand.Text()[:8], under: "/" + rand.Text(), room: make(chan struct{}, maxSessions+follow.MaxViewers),
		porch: make(chan struct{}, maxStrangers), sessions: map[string]session{}}
}

// outside refuses what does not come from this machine to a loopback address, what a page of
// somebody else has in itself, and writes that come from there.
func (o *door) outside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		// With no-referrer, browsers say "null" where a form comes from.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !loopback(r.RemoteAddr) || !loopback(r.Host) {
			http.Error(w, "A desk is only for its own machine, under 127.0.0.1 or localhost.", http.StatusForbidden)
			return
		}
		if follow.Foreign(r) {
			http.Error(w, "Pages of other sites cannot have this one in them.", http.StatusForbidden)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("Origin") != "http://"+r.Host {
			http.Error(w, "This request does not come from a page of this desk.", http.StatusForbidden)
			return
		}
		room := o.room
		if _, in := o.known(r); !in && !o.opens(r.URL.Query().Get("word")) {
			room = o.porch
			if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(strangerTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
				http.Error(w, "The connection is gone.", http.StatusServiceUnavailable)
				return
			}
		}
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			h.Set("Retry-After", "1")
			http.Error(w, "The desk is busy. Reload the page.", http.StatusServiceUnavailable)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// below serves the paths of a login, and gives what they answer such paths.
func (o *door) below(next http.Handler) http.Handler {
	stripped := http.StripPrefix(o.under, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, o.under+"/") {
			stripped.ServeHTTP(redirector{w, o.under}, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// redirector sends a browser to paths of its login.
type redirector struct {
	http.ResponseWriter
	under string
}

// Unwrap is for http.ResponseController.
func (r redirector) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r redirector) WriteHeader(code int) {
	if to := r.Header().Get("Location"); strings.HasPrefix(to, "/") {
		r.Header().Set("Location", r.under+to)
	}
	r.ResponseWriter.WriteHeader(code)
}

// links gives the links of a page to other pages the paths of the login. What strangers wrote has
// no such quotes.
func (o *door) links(page []byte) []byte {
	for _, name := range []string{"href", "action", "src", "data-live"} {
		page = bytes.ReplaceAll(page, []byte(" "+name+"=\"/"), []byte(" "+name+"=\""+o.under+"/"))
	}
	return bytes.ReplaceAll(page, []byte(o.under+o.under), []byte(o.under)) // what is inside a frame has them already
}

// loopback reports whether host:port or a host is this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// invite returns a word that opens one session, soon. The oldest of many is forgotten.
func (o *door) invite() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.invited) >= maxInvited {
		o.invited = o.invited[1:]
	}
	o.invited = append(o.invited, invitation{rand.Text(), time.Now().Add(inviteTime)})
	return o.invited[len(o.invited)-1].word
}

// opens reports whether this is the word of the desk, or one of an invitation.
func (o *door) opens(word string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.fits(word) >= 0
}

// fits returns which invitation has the word; len(o.invited): the word is that of the desk; less
// than 0: none. The caller holds mu.
func (o *door) fits(word string) int {
	same := func(other string) bool { return subtle.ConstantTimeCompare([]byte(word), []byte(other)) == 1 }
	if same(o.word) {
		return len(o.invited)
	}
	return slices.IndexFunc(o.invited, func(i invitation) bool { return same(i.word) && time.Now().Before(i.until) })
}

// enter opens a session for a browser that shows the word.
func (o *door) enter(w http.ResponseWriter, word string) bool {
	name, now := rand.Text(), time.Now()
	o.mu.Lock()
	at := o.fits(word)
	if at < 0 {
		o.mu.Unlock()
		return false
	}
	if at < len(o.invited) {
		o.invited = slices.Delete(o.invited, at, at+1)
	}
	oldest := ""
	for key, s := range o.sessions {
		if oldest == "" || s.until.Before(o.sessions[oldest].until) {
			oldest = key
		}
	}
	if len(o.sessions) >= maxSessions {
		delete(o.sessions, oldest)
	}
	o.sessions[name] = session{form: rand.Text(), until: now.Add(sessionTime)}
	o.mu.Unlock()
	// A loopback address has no TLS, so a browser would not send a Secure cookie back.
	http.SetCookie(w, &http.Cookie{
		Name: o.cookie, Value: name, Path: o.under + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(sessionTime / time.Second),
	})
	return true
}

// known returns the session of a request.
func (o *door) known(r *http.Request) (session, bool) {
	cookie, err := r.Cookie(o.cookie)
	if err != nil {
		return session{}, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s, ok := o.sessions[cookie.Value]
	return s, ok && time.Now().Before(s.until)
}

// visit is a request of the party.
type visit struct {
	w    http.ResponseWriter
	r    *http.Request
	form string // that its forms carry
	// until is the end of the login.
	until time.Time
}

// inside serves a request of the party. A form has to carry the word of its session.
func (d *Desk) inside(serve func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s, ok := d.door.known(r)
		if !ok {
			d.write(w, http.StatusUnauthorized, "login", frame{Title: "Log in"})
			return
		}
		v := &visit{w: w, r: r, form: s.form, until: s.until}
		if r.Method == http.MethodPost {
			if err := parse(r); err != nil {
				d.wrong(v, err)
				return
			}
			if subtle.ConstantTimeCompare([]byte(r.PostFormValue("form")), []byte(s.form)) != 1 {
				d.wrong(v, errors.New("this form is of another login; go back, reload the page and send it again"))
				return
			}
		}
		serve(v)
	}
}

// maxMemory bounds the parts of a form that are not kept on the disk while it is read.
const maxMemory = 4 << 20

// parse reads a form, with or without files.
func parse(r *http.Request) error {
	err := r.ParseMultipartForm(maxMemory)
	if errors.Is(err, http.ErrNotMultipart) {
		err = nil
	}
	var big *http.MaxBytesError
	if errors.As(err, &big) {
		return errors.New("the form has more than 10 MiB; an exhibit has at most 1 MiB")
	}
	return err
}

// maxLogin bounds the form of somebody who has not logged in, in bytes.
const maxLogin = 4 << 10

// login asks for the word and opens a session.
func (d *Desk) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	word := strings.TrimSpace(r.FormValue("word"))
	switch {
	case d.door.enter(w, word):
		http.Redirect(w, r, d.door.under+"/", http.StatusSeeOther)
	case word == "":
		d.write(w, http.StatusOK, "login", frame{Title: "Log in"})
	default:
		fault := "That is not the word which ojud desk printed."
		if d.calls != nil {
			fault = "This word was used, is older than five minutes, or is another one. Get a new address with: ojud agents page"
		}
		d.write(w, http.StatusForbidden, "login", frame{Title: "Log in", Fault: fault})
	}
}
