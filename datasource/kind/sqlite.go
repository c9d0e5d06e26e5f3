package kind

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ojud/casefile"
)

// sqliteSource is a database file that is read, never written. The owner writes the queries. The
// asker names one and gives values for its parameters: {"query": "by_author", "author": "alice"}. A
// source of one query needs no name. The answer is {"rows": [{…}], "more"}.
type sqliteSource struct {
	// Path is the database file.
	Path string `json:"path"`
	// Immutable says that the file never changes. It is then read without locks.
	Immutable bool `json:"immutable,omitempty"`
	// Queries holds the queries by name.
	Queries map[string]Query `json:"queries"`
}

// Query is one SELECT. Values are JSON: integers that a double cannot hold come as strings of
// digits, blobs in base64, columns declared DATE, DATETIME or TIMESTAMP as RFC 3339 (to get their
// original form, cast them to text).
type Query struct {
	// SQL is the statement, with :name for the parameter name.
	SQL string `json:"sql"`
	// Parameters are members of the request. A missing one is NULL, a list or object JSON text.
	Parameters []string `json:"parameters,omitempty"`
	// MaxRows bounds the rows of one answer, by default 100, at most 10000.
	MaxRows int `json:"max_rows,omitempty"`
}

const queryRows = 100

var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

func (q *sqliteSource) Validate() error {
	if q.Path == "" {
		return wrong("path", "is empty; name the database file")
	}
	if len(q.Queries) == 0 || len(q.Queries) > 100 {
		return wrong("queries", "has %d entries; write 1 to 100 queries", len(q.Queries))
	}
	for _, name := range sorted(q.Queries) {
		field := "queries" + casefile.MemberPath(name)
		if !word.MatchString(name) {
			return wrong(field, "is no name: a letter, then letters, digits and _, at most 64")
		}
		if err := q.Queries[name].validate(field); err != nil {
			return err
		}
	}
	return nil
}

func (q Query) validate(field string) error {
	text := strings.ToLower(strings.TrimSpace(q.SQL))
	if len(q.SQL) > 16<<10 || !strings.HasPrefix(text, "select") && !strings.HasPrefix(text, "with") {
		return wrong(field+".sql", "must be one SELECT (or WITH … SELECT) of at most 16384 bytes")
	}
	if strings.Contains(strings.TrimRight(text, "; \t\r\n"), ";") {
		return wrong(field+".sql", "has more than one statement, or a semicolon in it")
	}
	if q.MaxRows < 0 || q.MaxRows > rowsMost {
		return wrong(field+".max_rows", "is %d; set it to 0 (the default, %d) to %d", q.MaxRows, queryRows, rowsMost)
	}
	for i, name := range q.Parameters {
		if !word.MatchString(name) || name == "query" || slices.Contains(q.Parameters[:i], name) || len(q.Parameters) > 50 {
			return wrong(fmt.Sprintf("%s.parameters[%d]", field, i), "is no parameter: a word other than \"query\", once, at most 50 of them")
		}
		if !regexp.MustCompile(`:` + name + `\b`).MatchString(q.SQL) {
			return wrong(fmt.Sprintf("%s.parameters[%d]", field, i), "does not stand in sql; write :%s where it belongs", name)
		}
	}
	return nil
}

func sqliteForm() Form {
	return Form{
		Flag: Flag{"sqlite", "a SQLite database: its file; a relative path begins at the working directory", Text},
		More: []Flag{
			{"sql", "the SELECT that answers; :name is a member of the request", Text},
			{"immutable", "no one changes the database, so it is read without locks", Switch},
			{"max-rows", "rows of one answer, at most 10000 (default 100)", Count},
		},
		fields: map[string]string{"path": "sqlite", "queries": "sql", "queries." + onlyQuery + ".max_rows": "max-rows"},
		make: func(v Values) (Settings, error) {
			text := v.text("sql")
			if text == "" {
				return nil, wrongFlag("sql", "is missing; write the SELECT that answers, such as 'select * from posts where author = :author'")
			}
			query := Query{SQL: text, Parameters: parameters(text), MaxRows: v.count("max-rows")}
			return &sqliteSource{Path: absolute(v.text("sqlite")), Immutable: v.is("immutable"), Queries: map[string]Query{onlyQuery: query}}, nil
		},
	}
}

// onlyQuery is the name of the query if a source has only one statement. Requests need not name it.
const onlyQuery = "query"

var sqlToken = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*(?s:.*?)\*/|::|:[A-Za-z_][A-Za-z0-9_]*`)

// parameters returns the :names of a statement in order, but not those in quotes and comments.
func parameters(sql string) []string {
	var out []string
	for _, token := range sqlToken.FindAllString(sql, -1) {
		if name := token[1:]; token[0] == ':' && name != ":" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

const sqliteAnswer = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object"}},"more":{"type":"boolean"}},"required":["rows"]}`

func (q *sqliteSource) Shape() Shape {
	names := q.Queries[onlyQuery].Parameters
	members := map[string]string{}
	for _, p := range names {
		members[p] = schemaNullable
	}
	return Shape{requestSchema(members, names), json.RawMessage(sqliteAnswer), "rows of a database; " + asks(names)}
}

// Sample implements Settings. It asks the first query, with NULL for each parameter.
func (q *sqliteSource) Sample(Env) (Sample, error) {
	request, name := map[string]any{}, sorted(q.Queries)[0]
	for _, p := range q.Queries[name].Parameters {
		request[p] = nil
	}
	if len(q.Queries) > 1 {
		request["query"] = name
	}
	return sampleOf(request)
}

func (q *sqliteSource) open(env Env, _ *secrets) (Upstream, error) {
	path, err := filepath.Abs(inside(env.Dir, q.Path))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSetup, err)
	}
	values := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "busy_timeout(2000)", "trusted_schema(0)"}}
	if q.Immutable {
		values.Set("immutable", "1")
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: values.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSetup, err)
	}
	db.SetMaxOpenConns(4)
	db.SetConnMaxIdleTime(time.Minute)
	return &database{q, db, path, env.MaxBytes}, nil
}
