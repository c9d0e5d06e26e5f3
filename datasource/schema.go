package datasource

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ojud/casefile"
)

// schema is a JSON Schema 2020-12 that is used on what strangers wrote, and may itself be a stranger's. It is bounded in size, its
// regular expressions in size, what a check costs in steps; nothing outside of it is ever loaded.
type schema struct{ compiled *jsonschema.Schema }

const (
	schemaValues      = 4000    // JSON values in a schema
	schemaPattern     = 512     // bytes of one regular expression
	schemaPatternSize = 20_000  // RE2 instructions, all together
	schemaSteps       = 400_000 // see meter
	schemaProblems    = 4       // listed in an error
	schemaURL         = "https://oju.invalid/schema"
)

// compileSchema reads a schema. partial makes it one that parts of a value satisfy: nothing is required, and what turns into its
// opposite when something is missing is left out.
func compileSchema(raw []byte, partial bool) (*schema, error) {
	if len(raw) == 0 {
		raw = []byte(`{}`)
	}
	canonical, err := casefile.Canonical(raw, MaxSchema)
	if errors.Is(err, casefile.ErrTooLarge) {
		return nil, fmt.Errorf("has more than %d bytes, or is nested too deep; say it shorter", MaxSchema)
	}
	if err != nil {
		return nil, errors.New("is no JSON value")
	}
	doc, err := decode(canonical)
	if err != nil {
		return nil, err
	}
	if _, isObject := doc.(map[string]any); !isObject {
		return nil, errors.New("is no object; write a JSON Schema such as {\"type\": \"object\", \"properties\": {…}}")
	}
	if size(doc) > schemaValues {
		return nil, fmt.Errorf("has more than %d values", schemaValues)
	}
	if err := selfContained(doc); err != nil {
		return nil, err
	}
	if partial {
		doc = relaxed(doc)
	}
	return compileTree(doc)
}

func compileTree(doc any) (*schema, error) {
	left := schemaPatternSize
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return compilePattern(text, &left) })
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, fmt.Errorf("is no JSON Schema 2020-12: %.300s", strings.Join(strings.Fields(err.Error()), " "))
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil, fmt.Errorf("is no JSON Schema 2020-12: %.300s", strings.Join(strings.Fields(err.Error()), " "))
	}
	return &schema{compiled}, nil
}

// nothing loads nothing.
type nothing struct{}

// Load implements jsonschema.URLLoader.
func (nothing) Load(string) (any, error) {
	return nil, errors.New("it refers to what is outside of it")
}

// pattern is a regular expression whose size is known.
type pattern struct {
	*regexp.Regexp
	size int
}

func compilePattern(text string, left *int) (jsonschema.Regexp, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil || len(text) > schemaPattern {
		return nil, fmt.Errorf("a pattern is no regular expression of RE2 with at most %d bytes", schemaPattern)
	}
	n := sizeOf(tree)
	if *left -= n; *left < 0 {
		return nil, fmt.Errorf("the patterns have more than %d instructions together", schemaPatternSize)
	}
	re, err := regexp.Compile(text)
	return &pattern{re, n}, err
}

// check holds a decoded value to the schema. The error lists some of the problems by where they are; it quotes names, never values.
func (s *schema) check(doc any) error {
	m := meter{left: schemaSteps}
	if err := m.charge(s.compiled, doc, 0); err != nil {
		return err
	}
	err := s.compiled.Validate(doc)
	var invalid *jsonschema.ValidationError
	if err == nil || !errors.As(err, &invalid) {
		return err
	}
	var places []string
	leaves(invalid, &places)
	slices.Sort(places)
	places = slices.Compact(places)
	more := ""
	if len(places) > schemaProblems {
		places, more = places[:schemaProblems], ", …"
	}
	return fmt.Errorf("it does not satisfy the schema at %s%s", strings.Join(places, ", "), more)
}

// leaves collects where the innermost problems are, and of which keyword.
func leaves(e *jsonschema.ValidationError, places *[]string) {
	const most = 200
	if len(*places) >= most {
		return
	}
	for _, cause := range e.Causes {
		leaves(cause, places)
	}
	if len(e.Causes) == 0 {
		*places = append(*places, fmt.Sprintf("%.100q (%.60s)", "/"+strings.Join(e.InstanceLocation, "/"), strings.Join(e.ErrorKind.KeywordPath(), "/")))
	}
}
