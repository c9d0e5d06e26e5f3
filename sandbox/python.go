package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// VersionPython names the rules by which functions in Python run, as Version does for JavaScript.
const VersionPython = "ojud-python-2"

// CPython is the SHA-256 of CPython 3.12.0 as a command of WASI, with its standard library inside.
// It has 26 MB. So it is not in this program: a person gets it once (Install).
const CPython = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"

// The limits of Python. To start takes an eighth of the fuel.
const (
	MaxPythonFuel   = MaxFuel
	pythonDepth     = 1_900 // of calls: its parser nests many of them for each bracket
	maxPythonOutput = 1 << 20
)

// pythonFlags begin a run: nothing of the environment, no site, no byte code, no warnings.
const pythonFlags = "python -I -S -B -W ignore -c"

// ErrNoPython is the error of a run that needs CPython, on a machine that does not have it.
var ErrNoPython = errors.New("CPython is not on this machine")

// pythonFile is where CPython is kept.
func pythonFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w, which has no place for it: %w", ErrNoPython, err)
	}
	return filepath.Join(dir, "ojud", "python", CPython+".wasm"), nil
}

// PythonHere says where CPython is, or the error is ErrNoPython. It does not read the module.
func PythonHere() (string, error) {
	name, err := pythonFile()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(name); err != nil {
		return "", withoutPath(err)
	}
	return name, nil
}

// withoutPath is ErrNoPython with its cause. Opinions quote it, and the paths of a machine concern
// no reader of them.
func withoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoPython
	}
	return fmt.Errorf("%w: %w", ErrNoPython, err)
}

// InstallPython keeps the module of CPython for all processes of this person. It refuses any other
// bytes.
func InstallPython(raw []byte) (string, error) {
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != CPython {
		return "", fmt.Errorf("this is another module: its SHA-256 is %x instead of %s", sum, CPython)
	}
	name, err := pythonFile()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", fmt.Errorf("CPython cannot be kept: %w", err)
	}
	part, err := os.CreateTemp(filepath.Dir(name), "part-")
	if err != nil {
		return "", fmt.Errorf("CPython cannot be kept: %w", err)
	}
	_, err = part.Write(raw)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), name)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("CPython cannot be kept: %w", err), os.Remove(part.Name()))
	}
	return name, nil
}

// Warm compiles CPython, unless that was done. The next process finds it compiled.
func (e *Engine) Warm(ctx context.Context) error {
	_, err := e.python(ctx)
	return err
}

// python compiles CPython, once. If it is not here, the error is ErrNoPython.
func (e *Engine) python(ctx context.Context) (module, error) {
	return e.own(ctx, CPython, func() ([]byte, error) {
		name, err := PythonHere()
		if err != nil {
			return nil, err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, withoutPath(err)
		}
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != CPython {
			return nil, fmt.Errorf("%w: another module, or a damaged one, is in its place", ErrNoPython)
		}
		return raw, nil
	})
}

// PythonCalls are calls of functions of a program in Python.
type PythonCalls struct {
	Source string
	Calls  []PythonCall
	Fuel   int64 // that all of them may use, at most MaxPythonFuel
}

// PythonCall is one of them.
type PythonCall struct {
	Function string            `json:"function"`
	Args     []json.RawMessage `json:"args"`
}

// Runs ahead of a program in Python. It reads the request, and keeps what it needs to itself: the
// program may change everything else. The program cannot write to the standard output by print.
const pythonPrelude = `import sys, posix, _json
class settings:
    strict, object_hook, object_pairs_hook, parse_float, parse_int, memo = True, None, None, float, int, {}
    @staticmethod
    def parse_constant(name): raise ValueError(name)
class sink:
    encoding = "utf-8"
    def write(self, text): return len(text)
    def flush(self): pass
    def isatty(self): return False
def refuse(value): raise TypeError(type(value).__name__ + " is nothing that JSON can say")
request, _ = _json.make_scanner(settings)(sys.stdin.buffer.read().decode(), 0)
encode = _json.make_encoder(None, refuse, _json.encode_basestring_ascii, None, ":", ",", False, False, False)
out, sys.stdin, sys.stdout, sys.stderr = sys.stdout.buffer, None, sink(), sink()
def fault(e):
    try: text = type(e).__name__ + ": " + str(e)
    except BaseException: text = "something that is no text"
    return text[:500].encode("utf-8", "replace").decode()
def text(value, encode=encode, join="".join): return join(encode(value, 0))
def end(answer, out=out, leave=posix._exit):
    out.write(answer.encode()); out.flush(); leave(0)
`

// pythonCalling calls functions. Each answer is a list of the value, or of nothing and a fault. The
// answers stand behind a word from the request, which the program does not see: it could write
// answers of its own and end. So what runs here is out of its reach: its names are deleted, and
// what shows frames, calls of others or all objects is refused. A traceback shows frames, and
// honest programs print some. If one is looked at, a sign stands before the word. The word is a
// hash, and the same on each machine: a random one that leaked would let a program answer each
// judge differently.
const pythonCalling = pythonPrelude + `import types
def watch(event, args, write=posix.write, looked=[], wrong=ValueError, refused=frozenset(("sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile",
        "sys.monitoring.register_callback", "gc.get_objects", "gc.get_referrers", "gc.get_referents"))):
    if event in refused: raise wrong("frames and objects of others are not shown")
    if event != "object.__getattr__" or args[1][-6:] != "_frame": return
    if args[1] != "tb_frame": raise wrong("frames and objects of others are not shown")
    if not looked:
        write(1, b"!")
        looked.append(1)
def run(request=request, fault=fault, text=text, kind=type(sys), modules=sys.modules, join=",".join, names=globals(), audit=sys.addaudithook, watch=watch, write=posix.write, leave=posix._exit):
    answers, program, word = [], kind("result"), request.pop("word")
    def end(answer):
        raw = (word + answer).encode()
        while raw: raw = raw[write(1, raw):]
        leave(0)
    modules["result"] = program
    names.clear()
    audit(watch)
    try: exec(compile(request["source"], "result.py", "exec", 0, True), program.__dict__)
    except BaseException as e: end(text([[None, fault(e)]]))
    for call in request["calls"]:
        try: answers.append(text([program.__dict__[call["function"]](*call["args"])]))
        except BaseException as e: answers.append(text([None, fault(e)]))
    end("[" + join(answers) + "]")
run()
`

// lookedAt stands before the word if the program looked at a frame of a traceback.
const lookedAt = "!"

// word is what stands before answers of a program in Python.
func word(request any) (string, error) {
	raw, err := json.Marshal(request)
	sum := sha256.Sum256(append([]byte("ojud:python:word\n"), raw...))
	return hex.EncodeToString(sum[:]), err
}

// pythonParsing compiles a program, and runs nothing of it. What it writes begins with what it
// says.
const pythonParsing = pythonPrelude + `
def run(request=request, end=end, fault=fault, text=text):
    try: compile(request["source"], "result.py", "exec", 0, True)
    except SyntaxError as e: end(text(["false", "line %s: %s" % (e.lineno or 0, str(e.msg)[:400])]))
    except BaseException as e: end(text(["none", fault(e)]))
    end(text(["true", ""]))
run()
`

// pythonRun runs CPython with a program of ours that reads a request.
func (e *Engine) pythonRun(ctx context.Context, program string, request any, fuel int64) (out []byte, how end, used int64, err error) {
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(request); err != nil {
		return nil, "", 0, fmt.Errorf("the request to Python: %w", err)
	}
	if input.Len() > maxInput {
		return nil, "", 0, fmt.Errorf("the inputs of the check program have %d bytes; at most %d are allowed", input.Len(), maxInput)
	}
	m, err := e.python(ctx)
	if err != nil {
		return nil, "", 0, err
	}
	p := &process{args: append(strings.Fields(pythonFlags), program), input: bytes.TrimSpace(input.Bytes()), fuel: fuel, most: maxPythonOutput, pipes: true, deep: pythonDepth}
	if err := e.start(ctx, m, p); err != nil {
		return nil, "", 0, err
	}
	defer func() { err = errors.Join(err, e.stop(ctx, p)) }()
	_, how, code := p.call(ctx, "_start")
	if err := context.Cause(ctx); err != nil {
		return nil, "", 0, err // it is not the program's fault
	}
	if how == exited && code == 0 {
		how = returned
	}
	return p.output, how, p.used(), nil
}

// Python calls functions of a program, one after the other. There is one answer for each call, or a
// single one that says why there is none. An error says that nothing could be called at all, or
// that ctx ended.
func (e *Engine) Python(ctx context.Context, c PythonCalls) (answers []Returned, used int64, err error) {
	request := struct {
		Source string       `json:"source"`
		Calls  []PythonCall `json:"calls"`
		Word   string       `json:"word"`
	}{Source: c.Source}
	for _, call := range c.Calls {
		if call.Args == nil {
			call.Args = []json.RawMessage{}
		}
		request.Calls = append(request.Calls, call)
	}
	if request.Word, err = word(request); err != nil {
		return nil, 0, fmt.Errorf("the request to Python: %w", err)
	}
	out, how, used, err := e.pythonRun(ctx, pythonCalling, request, min(c.Fuel, MaxPythonFuel))
	if err != nil {
		return nil, 0, err
	}
	none := func(why string) ([]Returned, int64, error) { return []Returned{{Why: why}}, used, nil }
	if how != returned {
		return none("it does not get to its end: " + string(how))
	}
	var said [][]json.RawMessage
	out, looked := bytes.CutPrefix(out, []byte(lookedAt))
	if out, ours := bytes.CutPrefix(out, []byte(request.Word)); !ours || json.Unmarshal(out, &said) != nil {
		return none("it ends before its functions return")
	}
	for _, a := range said {
		switch {
		case len(a) == 1 && len(a[0]) > maxReturned:
			answers = append(answers, Returned{Why: "it returns too much"})
		case len(a) == 1:
			answers = append(answers, Returned{Value: a[0], Doubt: looked})
		default:
			var why string
			if len(a) != 2 || json.Unmarshal(a[1], &why) != nil {
				return none("it ends before its functions return")
			}
			answers = append(answers, Returned{Why: cut(why)})
		}
	}
	if len(answers) != len(c.Calls) && (len(answers) != 1 || answers[0].Value != nil) {
		return none("it ends before its functions return")
	}
	return answers, used, nil
}

// parsePython has CPython compile a text.
func (e *Engine) parsePython(ctx context.Context, text string) (parsed, int64, error) {
	request := struct {
		Source string `json:"source"`
	}{text}
	out, how, used, err := e.pythonRun(ctx, pythonParsing, request, MaxPythonFuel)
	if err != nil {
		return parsed{}, 0, err
	}
	var said []string
	if how != returned {
		return unsaid("the parser did not get to its end: %s", how), used, nil
	}
	if json.Unmarshal(out, &said) != nil || len(said) != 2 {
		return unsaid("the parser says nothing"), used, nil
	}
	switch said[0] {
	case string(True):
		return parsed{True, ""}, used, nil
	case string(False):
		return refused("%s", said[1]), used, nil
	}
	return unsaid("the parser fails: %s", said[1]), used, nil
}
