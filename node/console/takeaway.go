package console

import (
	"fmt"
	"net/http"

	"ojud/casefile"
	"ojud/casefile/page/release"
	"ojud/casefile/picture"
	"ojud/voting"
)

// caseFile serves the case file of a case, to be saved and verified elsewhere.
func (c *Console) caseFile(w http.ResponseWriter, r *http.Request) {
	c.takeAway(w, r, "json", "application/json", func(file []byte) ([]byte, error) { return file, nil })
}

// casePage serves a case as one HTML file that verifies itself. Its type is one that no browser
// shows.
func (c *Console) casePage(w http.ResponseWriter, r *http.Request) {
	c.takeAway(w, r, "html", "application/octet-stream", func(file []byte) ([]byte, error) {
		made, err := release.Load()
		if err != nil {
			return nil, err
		}
		return made.Write(file)
	})
}

// show returns the page of a case, with what a reader can take away.
func (c *Console) show(task voting.Key) (p picture.CasePage, err error) {
	s, err := c.scene(task)
	if err != nil {
		return p, err
	}
	p = picture.Show(task, s)
	p.Whole = c.verifies()
	return p, nil
}

// takeAway sends a file that a browser saves and does not show: a page of a case is no page of this
// node.
func (c *Console) takeAway(w http.ResponseWriter, r *http.Request, suffix, kind string, form func([]byte) ([]byte, error)) {
	v, err := caseView(r)
	if err != nil {
		c.failed(w, err)
		return
	}
	file, _, err := c.source.Export(r.Context(), v.key)
	if err == nil {
		file, err = form(file)
	}
	if err != nil {
		c.failed(w, err)
		return
	}
	c.give(w, kind, fmt.Sprintf("case-%s.%s", casefile.Address(v.key), suffix), file)
}

// image serves a picture of a party, as what it is: nothing else gets here.
func (c *Console) image(w http.ResponseWriter, r *http.Request) {
	v, err := caseView(r)
	var hash casefile.Digest
	if err == nil && hash.UnmarshalText([]byte(r.PathValue("hash"))) != nil {
		err = errNoImage
	}
	var s picture.Scene
	if err == nil {
		s, err = c.scene(v.key)
	}
	if err != nil {
		c.failed(w, err)
		return
	}
	i, ok := picture.FindImage(s, hash)
	if !ok {
		c.failed(w, errNoImage)
		return
	}
	w.Header().Set("Content-Type", i.Kind)
	if _, err := w.Write(i.Content); err != nil {
		c.log.Debug("console: a picture was not written", "err", err)
	}
}

// give sends a file that a browser saves. The name has no character that a header quotes.
func (c *Console) give(w http.ResponseWriter, kind, name string, file []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	if _, err := w.Write(file); err != nil {
		c.log.Debug("console: a file was not written", "err", err)
	}
}
