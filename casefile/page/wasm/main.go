//go:build js && wasm

// Command wasm draws and verifies a case file in a page of a browser, or in Node.js.
//
// It sets the global object ojud with these functions. If one fails, it returns an Error.
//
//	open(file: Uint8Array, name: string): string   reads a case file; nothing is verified yet
//	around(likeness: string, words: string): void  what is known of the page that the file was in
//	last(): number                                 the number of the last step of its replay
//	frame(step: number): string                    the HTML of a step; it has no script
//	verify(file: Uint8Array): string               the report of the verifier, as JSON
//	settle(report: string): string                 the pages of the open file show a report
//	halt(why: string): void                        the pages say that no report will come
//
// It reads nothing else: no address, no storage. The build tag plain makes it smaller (package
// page, Plain).
package main

import (
	"encoding/json"
	"errors"
	"html/template"
	"strings"
	"syscall/js"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/casefile/verify"
)

func main() {
	v := &viewer{}
	js.Global().Set("ojud", map[string]any{
		"limit": casefile.MaxBundle,
		"open":  v.call(func(args []js.Value) (any, error) { return "", v.open(bytesOf(args[0]), args[1].String()) }),
		"around": v.call(func(args []js.Value) (any, error) {
			if v.replay == nil {
				return "", errNoFile
			}
			v.replay.Found(picture.Around{Same: args[0].String() == "same", Unknown: args[0].String() == "unknown", Words: args[1].String()})
			return "", nil
		}),
		"last":  v.call(func([]js.Value) (any, error) { return v.replay.Last(), nil }),
		"frame": v.call(func(args []js.Value) (any, error) { return v.frame(args[0].Int()) }),
		"verify": v.call(func(args []js.Value) (any, error) {
			report, err := json.Marshal(verify.File(bytesOf(args[0])))
			return string(report), err
		}),
		"settle": v.call(func(args []js.Value) (any, error) {
			var report verify.Report
			err := json.Unmarshal([]byte(args[0].String()), &report)
			if err == nil {
				v.replay.Settle(report)
			}
			return "", err
		}),
		"halt": v.call(func(args []js.Value) (any, error) { v.replay.Halt(args[0].String()); return "", nil }),
	})
	select {}
}

// viewer has the open file.
type viewer struct {
	replay *picture.Replay
	pages  *template.Template
}

// errNoFile means that the page asked for a step before a file was open.
var errNoFile = errors.New("no case file is open")

// call makes a function for the page. It returns an error as an Error of JavaScript.
func (v *viewer) call(do func([]js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		out, err := do(args)
		if err != nil {
			return js.Global().Get("Error").New(err.Error())
		}
		return out
	})
}

func bytesOf(array js.Value) []byte {
	out := make([]byte, array.Length())
	js.CopyBytesToGo(out, array)
	return out
}

func (v *viewer) open(file []byte, name string) (err error) {
	if v.pages == nil {
		if v.pages, err = picture.Templates(template.New("")); err != nil {
			return err
		}
	}
	v.replay, err = picture.Open(file, name)
	return err
}

func (v *viewer) frame(step int) (string, error) {
	if v.replay == nil {
		return "", errNoFile
	}
	var out strings.Builder
	err := v.pages.ExecuteTemplate(&out, "replay", v.replay.At(min(max(step, 0), v.replay.Last())))
	return out.String(), err
}
