package kind

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// database is an opened SQLite. The first answer opens the file.
type database struct {
	*sqliteSource
	db       *sql.DB
	path     string
	maxBytes int
}

func (d *database) Close() error { return d.db.Close() }

func (d *database) Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	fields, err := members(request)
	if err != nil {
		return nil, err
	}
	query, err := d.query(fields)
	if err != nil {
		return nil, err
	}
	args, err := query.bind(fields)
	if err != nil {
		return nil, err
	}
	answer, err := d.run(ctx, query, args)
	if err != nil {
		return nil, d.failure(ctx, err)
	}
	return encode(answer)
}

func (d *database) query(fields map[string]any) (Query, error) {
	if fields["query"] == nil && len(d.Queries) == 1 {
		for _, only := range d.Queries {
			return only, nil
		}
	}
	name, err := scalar(fields, "query")
	if err != nil {
		return Query{}, err
	}
	query, ok := d.Queries[name]
	if !ok {
		return Query{}, fmt.Errorf("%w: there is no query %.64q; there are %s", ErrRequest, name, strings.Join(sorted(d.Queries), ", "))
	}
	return query, nil
}

// bind makes arguments from the request's members.
func (q Query) bind(fields map[string]any) ([]any, error) {
	var args []any
	for _, name := range q.Parameters {
		value := fields[name]
		switch v := value.(type) {
		case json.Number:
			if n, err := v.Int64(); err == nil {
				value = n
			} else if value, err = v.Float64(); err != nil {
				return nil, fmt.Errorf("%w: %q is no number that can be bound", ErrRequest, name)
			}
		case []any, map[string]any:
			raw, err := encode(v)
			if err != nil {
				return nil, err
			}
			value = string(raw)
		}
		args = append(args, sql.Named(name, value))
	}
	return args, nil
}

// run reads the rows, up to the bounds. SQLite itself refuses larger values.
func (d *database) run(ctx context.Context, q Query, args []any) (answer map[string]any, err error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, d.maxBytes+16<<10); err != nil {
		return nil, err
	}
	rows, err := conn.QueryContext(ctx, q.SQL, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	most := q.MaxRows
	if most == 0 {
		most = queryRows
	}
	return d.collect(rows, most)
}

func (d *database) collect(rows *sql.Rows, most int) (map[string]any, error) {
	names, err := rows.Columns()
	if err != nil || twice(names) {
		return nil, errors.Join(fmt.Errorf("%w: the query's columns need names that differ; use AS", ErrSetup), err)
	}
	out, size, more := []any{}, 0, false
	for rows.Next() {
		if more = len(out) == most; more {
			break
		}
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, name := range names {
			n := 0
			if row[name], n, err = portable(values[i]); err != nil {
				return nil, err
			}
			size += len(name) + n + 6
		}
		if size > d.maxBytes {
			return nil, fmt.Errorf("%w: %d rows have %d bytes", ErrLarge, len(out)+1, size)
		}
		out = append(out, row)
	}
	return map[string]any{"rows": out, "more": more}, rows.Err()
}

// portable makes a JSON value from a column, and estimates its size.
func portable(value any) (any, int, error) {
	const number = 24
	switch v := value.(type) {
	case int64:
		return json.Number(fmt.Sprint(v)), number, nil // an integer that is too large becomes a string, see exact
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, 0, fmt.Errorf("%w: a number that JSON does not have", ErrSchema)
		}
	case time.Time:
		return v.Format(time.RFC3339Nano), 2 * number, nil
	case string:
		if !utf8.ValidString(v) {
			v = base64.StdEncoding.EncodeToString([]byte(v))
		}
		return v, len(v), nil
	case []byte:
		return base64.StdEncoding.EncodeToString(v), 4 * len(v) / 3, nil
	}
	return value, number, nil
}

// failure classifies an error of SQLite. Askers do not see its text.
func (d *database) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s: %w", ErrSlow, d.path, ctx.Err())
	}
	var engine *sqlite.Error
	if !errors.As(err, &engine) {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	switch engine.Code() & 0xff {
	case sqlite3.SQLITE_TOOBIG:
		return fmt.Errorf("%w: a value has more bytes than an answer may have", ErrLarge)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%w: %s is locked", ErrSlow, d.path)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w: %s: %w", ErrSetup, d.path, err)
	}
	return fmt.Errorf("%s: %w", d.path, err)
}
