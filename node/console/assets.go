package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"sync"
	"time"

	"ojud/casefile/page"
	"ojud/casefile/page/release"
	"ojud/casefile/picture"
)

// open reads templates and names the versions of the other assets.
func (c *Console) open() {
	c.versions = map[string]string{}
	c.broken = c.read()
}

func (c *Console) read() error {
	from, err := picture.Assets()
	if err != nil {
		return err
	}
	if c.files, c.unverified = verifier(); c.unverified != nil {
		c.files = map[string][]byte{}
	}
	for _, name := range []string{"style.css", "live.js", "icon.svg"} {
		if c.files[name], err = fs.ReadFile(from, name); err != nil {
			return err
		}
	}
	for name, raw := range c.files {
		sum := sha256.Sum256(raw)
		c.versions[name] = hex.EncodeToString(sum[:8])
	}
	delete(c.files, verifierModule) // it is in the program, and needs no copy
	c.templates, err = picture.Templates(template.New("").Funcs(template.FuncMap{
		"asset":    func(name string) string { return "/assets/" + name + "?v=" + c.versions[name] },
		"ends":     ends,
		"verifies": c.verifies,
		"pages":    sync.OnceValues(pageHashes),
	}))
	if err == nil {
		c.templates, err = c.templates.ParseFS(assets, "assets/*.html")
	}
	return err
}

// verifies reports whether this build has the verifier for browsers.
func (c *Console) verifies() bool {
	c.once.Do(c.open)
	return c.unverified == nil
}

// asset serves a file that pages name. A browser may keep the version that a page names.
func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	c.once.Do(c.open)
	name := r.PathValue("file")
	var from io.ReadSeeker
	if raw, ok := c.files[name]; ok {
		from = bytes.NewReader(raw)
	} else if name == verifierModule && c.unverified == nil {
		module, err := release.Open(page.Whole)
		if err != nil {
			c.failed(w, err)
			return
		}
		from = module
	} else {
		c.fail(w, http.StatusNotFound, "There is no such file.")
		return
	}
	if name == verifierScript {
		w.Header().Set("Content-Security-Policy", workerPolicy)
	}
	if r.URL.Query().Get("v") == c.versions[name] {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if name == verifierModule {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, name, time.Time{}, from)
}
