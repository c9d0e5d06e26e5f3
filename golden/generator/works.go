package generator

import "fmt"

// The kinds of work of exams alone. No golden case is of these kinds, because nobody measured
// whether they can be told from the tasks of others.
const (
	SQL         Kind = "sql"         // say what a query returns
	Tables      Kind = "tables"      // group, sort and cut a table
	Dates       Kind = "dates"       // compute days
	Format      Kind = "format"      // write data in a given form
	Citations   Kind = "citations"   // answer with quotations from sources
	Translation Kind = "translation" // translate by a glossary
	Actions     Kind = "actions"     // pay or publish something, which a data source knows
	Media       Kind = "media"       // say what an image contains
	Prose       Kind = "prose"       // answer what only a reader of a story knows
)

// ExamKinds returns the kinds of work of exams, those of golden cases first.
func ExamKinds() (kinds []Kind) {
	for _, s := range exams() {
		kinds = append(kinds, s.kind)
	}
	return kinds
}

// exams returns what makes the disputes of exams, by kind of work.
func exams() (out []source) {
	for _, g := range all() {
		if s, ok := g.(source); ok {
			out = append(out, s)
		}
	}
	return append(out,
		source{kind: SQL, templates: []template{{"query", drawQuery}}},
		source{kind: Tables, templates: []template{{"sales", drawSales}}},
		source{kind: Dates, templates: []template{{"deadline", drawDeadline}}},
		source{kind: Format, templates: []template{{"listing", drawListing}}},
		source{kind: Citations, templates: []template{{"library", drawLibrary}}},
		source{kind: Translation, templates: []template{{"labels", drawLabels}}},
		source{kind: Actions, templates: []template{{"deed", drawDeed}}},
		source{kind: Media, templates: []template{{"picture", drawPicture}}},
		source{kind: Prose, templates: []template{{"story", drawStory}}},
	)
}

func examOf(kind Kind) (source, error) {
	for _, s := range exams() {
		if s.kind == kind {
			return s, nil
		}
	}
	return source{}, fmt.Errorf("generator: no kind of work is called %.40q; the kinds are %v", kind, ExamKinds())
}
