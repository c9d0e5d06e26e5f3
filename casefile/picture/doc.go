// Package picture draws a case: what is argued, who decides it, why, and who is paid. It draws what
// a node knows now, or the file of a case step by step.
//
// It has the templates, the style sheet and the script for that, and no server. It reads only what
// its caller gives it. Everything that parties, judges and peers wrote is text: it is bounded, its
// invisible characters are made visible, and the templates escape it. The caller shows a page under
// a policy that runs no script but the one of Assets (ADR 0049, ADR 0051).
package picture

import (
	"embed"
	"html/template"
	"io/fs"
)

//go:embed assets
var embedded embed.FS

// Assets are the templates, the style sheet, the script and the icon of the pages.
func Assets() (fs.FS, error) { return fs.Sub(embedded, "assets") }

// Templates adds the templates "case" and "replay", and the parts that they are made of, to others.
func Templates(to *template.Template) (*template.Template, error) {
	files, err := Assets()
	if err != nil {
		return nil, err
	}
	return to.Funcs(template.FuncMap{"clock": Clock, "day": Day, "due": due}).ParseFS(files, "*.html")
}
