// Package examples holds the tasks, results and pleadings of this folder, so that the program can
// show them to the court without the source tree. The files are not canonical: casefile's parsers
// return the canonical form.
package examples

import "embed"

//go:embed eleptiger/*.json alan-walker/*.json file/*.json judges/*.json payment/*.json post/*.json
//go:embed invoices/*.json median/*.json query/*.json report/*.json thumbnail/*.json translation/*.json
var files embed.FS

// Read returns a file by its path in this folder, such as "eleptiger/good.result.json". For other
// paths the error is fs.ErrNotExist.
func Read(path string) ([]byte, error) { return files.ReadFile(path) }

// Works are the folders about whose work code decides: each has a task, a good and a bad result, an
// objection and a counter.
func Works() []string {
	return []string{"alan-walker", "invoices", "median", "query", "report", "thumbnail", "translation"}
}
