package sandbox

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// VersionParse names the rules by which texts are parsed, as Version does for programs.
const VersionParse = "ojud-parse-1"

// maxParsed bounds the text, in bytes.
const maxParsed = 64 << 10

// Language is one of texts that the engine can parse.
type Language string

// The languages.
const (
	JavaScript Language = "javascript"
	SQL        Language = "sql"
	Python     Language = "python"
)

// Parsers are the languages with the SHA-256 of the module that parses each.
func Parsers() map[Language]string {
	return map[Language]string{JavaScript: QuickJS, SQL: SQLite, Python: CPython}
}

// parsed is what a parser says.
type parsed struct {
	said Said
	why  string
}

func unsaid(format string, args ...any) parsed {
	return parsed{None, "code cannot tell: " + cut(fmt.Sprintf(format, args...))}
}

func refused(format string, args ...any) parsed {
	return parsed{False, cut(fmt.Sprintf(format, args...))}
}

// Parse says whether a text is a program of a language. Nothing of it runs. It says none if the
// parser cannot tell. An error says that the text cannot be parsed here, or that ctx ended.
func (e *Engine) Parse(ctx context.Context, l Language, text string) (run Run, err error) {
	var out parsed
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		out = unsaid("the text has bytes that stand for no character")
	case len(text) > maxParsed:
		out = refused("it has %d bytes; at most %d are parsed", len(text), maxParsed)
	case strings.TrimSpace(text) == "":
		out = refused("it is empty")
	case l == JavaScript:
		out, run.Fuel, err = e.parseJavaScript(ctx, text)
	case l == SQL:
		out, run.Fuel, err = e.parseSQL(ctx, text)
	case l == Python:
		out, run.Fuel, err = e.parsePython(ctx, text)
	default:
		err = fmt.Errorf("there is no parser for %q", l)
	}
	run.Said, run.Why = out.said, out.why
	return run, err
}

// The flags of JS_Eval.
const asScript, asModule, compileOnly = 0, 1, 1 << 5

// line is where QuickJS says that an error is.
var line = regexp.MustCompile(`program:(\d{1,6}):\d`)

// parseJavaScript compiles a text as a script, and if it is none, as a module. The error is that of
// the attempt that came further.
func (e *Engine) parseJavaScript(ctx context.Context, text string) (_ parsed, used int64, err error) {
	m, err := e.own(ctx, QuickJS, func() ([]byte, error) { return quickjs, nil })
	if err != nil {
		return parsed{}, 0, fmt.Errorf("QuickJS: %w", err)
	}
	last, at := parsed{}, -1
	for _, form := range []uint64{asScript, asModule} {
		p := &process{fuel: MaxFuel - used}
		if err := e.start(ctx, m, p); err != nil {
			return parsed{}, 0, err
		}
		out, where := compileScript(ctx, p, text, form)
		used += p.used()
		if err := errors.Join(e.stop(ctx, p), context.Cause(ctx)); err != nil {
			return parsed{}, 0, err
		}
		if out.said != False {
			return out, used, nil
		}
		if where > at {
			last, at = out, where
		}
	}
	return last, used, nil
}

// compileScript has QuickJS compile a text. It returns the line of an error, too, or 0.
func compileScript(ctx context.Context, p *process, text string, form uint64) (parsed, int) {
	one, how := p.inTurn(ctx)
	js := one("QJS_GetContext", one("New_QJS", 0, 0, 0, 0))
	name := place(p, one("malloc", 8), "program")
	source := place(p, one("malloc", uint64(len(text))+1), text)
	one("QJS_Eval", js, one("QJS_CreateEvalOption", source, 0, 0, name, form|compileOnly))
	bad := one("JS_HasException", js)
	if *how != returned {
		return unsaid("the parser did not get to its end: %s", *how), 0
	}
	if bad == 0 {
		return parsed{True, ""}, 0
	}
	said := func(value uint64) string {
		at := one("QJS_ToCString", js, value)
		packed, ok := p.module.Memory().ReadUint64Le(uint32(at))
		if *how != returned || !ok || at == 0 {
			return ""
		}
		raw, _ := p.module.Memory().Read(uint32(packed>>32), min(uint32(packed), 4*maxWhy))
		return strings.ToValidUTF8(string(raw), "\ufffd")
	}
	thrown := one("JS_GetException", js)
	stack := place(p, one("malloc", 8), "stack")
	why, where := said(thrown), 0
	if m := line.FindStringSubmatch(said(one("JS_GetPropertyStr", js, thrown, stack))); m != nil {
		where, _ = strconv.Atoi(m[1]) // six digits are a number
	}
	fault, syntax := strings.CutPrefix(why, "SyntaxError: ")
	switch {
	case *how != returned:
		return unsaid("the parser did not get to its end: %s", *how), 0
	case strings.HasPrefix(why, "ReferenceError: could not load "): // it looks for what is imported when all is read
		return parsed{True, ""}, 0
	case !syntax:
		return unsaid("the parser fails: %s", why), 0
	case where == 0:
		return refused("%s", fault), 0
	}
	return refused("line %d: %s", where, fault), where
}

// notSQL is how SQLite says that a text breaks its grammar.
var notSQL = regexp.MustCompile(`^(near "[\s\S]*": syntax error|unrecognized token: "[\s\S]*|incomplete input)$`)

// parseSQL has SQLite prepare each statement of a text. There are no tables, so that it may refuse
// a statement that it has read to its end: then it parses. If it refuses one before, what follows
// was not read, and code cannot tell.
func (e *Engine) parseSQL(ctx context.Context, text string) (out parsed, used int64, err error) {
	used, err = e.database(ctx, MaxFuel, func(d *database) {
		d.p.parsing = true
		out = d.parse(text)
	})
	return out, used, err
}

// parse ends the last statement by a semicolon of its own. Only one that was read up to its
// semicolon was read to its end.
func (d *database) parse(text string) parsed {
	text += "\n;"
	at := d.text(text)
	end := at + uint64(len(text))
	statements := 0
	for from := at; from < end; {
		statement, rest, status := d.prepare(from, end+1-from)
		if status != 0 && d.why == "" {
			said, _ := texts(d.p.module.Memory(), uint32(d.call("sqlite3_errmsg", d.db)), 4*maxWhy)
			rest = min(max(d.tail(), from), end)
			number := min(strings.Count(text[:rest-at], "\n"), strings.Count(text, "\n")-1) + 1
			switch {
			case notSQL.MatchString(said):
				return refused("line %d: %s", number, said)
			case strings.HasSuffix(text[from-at:rest-at], ";"):
				statement = 1 // it was read to its end
			default:
				return unsaid("SQLite reads line %d no further: %s", number, said)
			}
		} else if statement != 0 {
			d.call("sqlite3_finalize", statement)
		}
		if d.why != "" {
			return unsaid("%s", strings.TrimPrefix(d.why, "the check program "))
		}
		if statement != 0 {
			statements++
		}
		if rest <= from {
			break
		}
		from = rest
	}
	if statements == 0 {
		return refused("it has no statement")
	}
	return parsed{True, ""}
}
