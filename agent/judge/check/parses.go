package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile/demand"
)

const (
	maxParsed = 64 << 10 // bytes of all texts of a check
	maxNested = 1000     // of a file of Go
)

// parses: the texts of a check share a limit, because many small ones cost as much as a large one.
func (s *subject) parses() (string, error) {
	if s.Parses == nil {
		return "", nil
	}
	left := maxParsed
	return s.over("is "+grammarName(*s.Parses), onText(func(text string) error {
		if left -= len(text); left < 0 {
			return fmt.Errorf("makes the texts longer than %d bytes, more than code parses", maxParsed)
		}
		switch *s.Parses {
		case demand.Go:
			return parseGo(text)
		case demand.JSON:
			return parseJSON(text)
		}
		return unknown("no grammar is called %.20q", *s.Parses)
	}))
}

// grammarName says in words what a text is that parses.
func grammarName(grammar string) string {
	if grammar == demand.Go {
		return "a file of Go that parses"
	}
	return "JSON"
}

// parseGo parses a file of Go. Neither types nor imports are looked at, and nothing runs.
func parseGo(text string) error {
	if err := balanced(text); err != nil {
		return err
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err == nil {
		return nil
	}
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return fmt.Errorf("is no Go: line %d: %s", list[0].Pos.Line, prose.Quote(list[0].Msg))
	}
	return fmt.Errorf("is no Go: %s", prose.Quote(err.Error()))
}

// parseJSON does not recurse, so it needs no bound of the depth besides that of the library.
func parseJSON(text string) error {
	if json.Valid([]byte(text)) {
		return nil
	}
	var v json.RawMessage
	err := json.NewDecoder(strings.NewReader(text)).Decode(&v)
	if err == nil {
		return errors.New("is no JSON: more stands after the first value")
	}
	return fmt.Errorf("is no JSON: %s", prose.Quote(err.Error()))
}

// balanced returns an error if the brackets of a file of Go do not match, because then it does not
// parse. It bounds how deep the parser would recurse, before it runs: it counts open brackets, and
// before them and after the last separator, what may nest without one. Statements that the parser
// may take for nested after an error count until the end.
func balanced(text string) error {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	closes := map[token.Token]token.Token{token.LPAREN: token.RPAREN, token.LBRACK: token.RBRACK, token.LBRACE: token.RBRACE}
	var expected []token.Token
	level, nested, statements := []int{0}, 0, 0
	reset := func() {
		nested -= level[len(level)-1]
		level[len(level)-1] = 0
	}
	for {
		at, t, _ := s.Scan()
		switch t {
		case token.EOF:
			return nil
		case token.LPAREN, token.LBRACK, token.LBRACE:
			level[len(level)-1]++ // [][][]T nests
			nested++
			level, expected = append(level, 0), append(expected, closes[t])
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(expected) == 0 || expected[len(expected)-1] != t {
				return fmt.Errorf("is no Go: line %d: %q closes no bracket", file.PositionFor(at, false).Line, t)
			}
			reset()
			level, expected = level[:len(level)-1], expected[:len(expected)-1]
		case token.COMMA, token.SEMICOLON:
			reset()
		case token.IF, token.ELSE, token.FOR, token.SWITCH, token.SELECT:
			statements++
		case token.MUL, token.ADD, token.SUB, token.NOT, token.XOR, token.AND, token.ARROW, token.TILDE, token.CHAN, token.COLON:
			level[len(level)-1]++
			nested++
		}
		if nested > maxNested || statements > maxNested {
			return unknown("the Go code is nested too deep, or has more than %d statements with blocks", maxNested)
		}
	}
}
