package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"ojud/casefile/picture"
)

// open reads templates and names the versions of the other assets.
func (c *Console) open() {
	c.versions = map[string]string{}
	c.broken = c.read()
}

func (c *Console) read() (err error) {
	if c.files, err = picture.Assets(); err != nil {
		return err
	}
	files, err := fs.ReadDir(c.files, ".")
	if err != nil {
		return err
	}
	for _, f := range files {
		raw, err := fs.ReadFile(c.files, f.Name())
		if err != nil {
			return err
		}
		sum := sha256.Sum256(raw)
		c.versions[f.Name()] = hex.EncodeToString(sum[:8])
	}
	c.templates, err = picture.Templates(template.New("").Funcs(template.FuncMap{
		"asset": func(name string) string { return "/assets/" + name + "?v=" + c.versions[name] },
		"ends":  ends,
	}))
	if err == nil {
		c.templates, err = c.templates.ParseFS(assets, "assets/*.html")
	}
	return err
}

// asset serves a file that pages name. A browser may keep the version that a page names.
func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	c.once.Do(c.open)
	name := r.PathValue("file")
	version, ok := c.versions[name]
	if !ok || strings.HasSuffix(name, ".html") {
		c.fail(w, http.StatusNotFound, "There is no such file.")
		return
	}
	raw, err := fs.ReadFile(c.files, name)
	if err != nil {
		c.failed(w, err)
		return
	}
	if r.URL.Query().Get("v") == version {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(raw))
}
