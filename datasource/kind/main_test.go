package kind

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// role in the environment makes the test binary a server of the Model Context Protocol, or a child
// of one.
const role = "OJUD_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		goleak.VerifyTestMain(m)
	case "child":
		select {} // until it is killed
	case "conforms":
		if err := conforms(os.Args[len(os.Args)-1], os.Getenv("MCP_CONFORMANCE_SCENARIO")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		if err := serveTools(os.Getenv(role)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// serveTools is a server with a tool for each case.
func serveTools(as string) error {
	fmt.Fprintln(os.Stderr, "starting with", os.Getenv("SERVER_KEY"))
	switch as {
	case "broken":
		fmt.Fprintln(os.Stderr, "no licence for", os.Getenv("SERVER_KEY"))
		os.Exit(3)
	case "parent":
		child := exec.Command(os.Args[0])
		child.Env = []string{role + "=child"}
		if err := child.Start(); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "child", child.Process.Pid)
	case "chatty":
		for range 200 {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 1000))
		}
	}
	return testServer().Run(context.Background(), &mcp.StdioTransport{})
}

func testServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","maximum":18446744073709551615}}}`)
	add := func(name string, answer func(ctx context.Context, args map[string]any) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: "tool " + name, InputSchema: schema, OutputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var args map[string]any
				d := json.NewDecoder(bytes.NewReader(r.Params.Arguments))
				d.UseNumber()
				if err := d.Decode(&args); err != nil {
					return nil, err
				}
				return answer(ctx, args)
			})
	}
	text := func(parts ...string) *mcp.CallToolResult {
		r := &mcp.CallToolResult{}
		for _, p := range parts {
			r.Content = append(r.Content, &mcp.TextContent{Text: p})
		}
		return r
	}
	add("structured", func(_ context.Context, args map[string]any) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]any{"you_said": args, "id": json.Number("9007199254740993")}}, nil
	})
	add("json", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		return text(`{"likes": 3, "id": 9007199254740993}`), nil
	})
	add("text", func(context.Context, map[string]any) (*mcp.CallToolResult, error) { return text("hello", "world"), nil })
	add("fails", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		r := text("no such user; my key is " + os.Getenv("SERVER_KEY"))
		r.IsError = true
		return r, nil
	})
	add("picture", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}}}, nil
	})
	add("environment", func(context.Context, map[string]any) (*mcp.CallToolResult, error) { return text(os.Environ()...), nil })
	add("folder", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		dir, err := os.Getwd()
		return text(dir), err
	})
	add("dies", func(_ context.Context, args map[string]any) (*mcp.CallToolResult, error) {
		if args["now"] == true {
			os.Exit(1)
		}
		return text(strconv.Itoa(os.Getpid())), nil
	})
	add("huge", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		return text(strings.Repeat("x", 1<<20)), nil
	})
	add("hangs", func(ctx context.Context, _ map[string]any) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	return s
}

// soon returns a context that ends before the test does.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// opened opens settings and closes them with the test.
func opened(t *testing.T, s Settings, env Env) Upstream {
	t.Helper()
	u, err := Open(s, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	})
	return u
}

// ask is an Answer that must succeed.
func ask(t *testing.T, u Upstream, request string) string {
	t.Helper()
	answer, err := u.Answer(soon(t), json.RawMessage(request))
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// refused checks the class and text of an error, and returns the text.
func refused(t *testing.T, u Upstream, request string, class error, says string) string {
	t.Helper()
	answer, err := u.Answer(soon(t), json.RawMessage(request))
	if !errors.Is(err, class) || !strings.Contains(fmt.Sprint(err), says) {
		t.Fatalf("answer %.200s, error %v; want %v with %q", answer, err, class, says)
	}
	return err.Error()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("got  %.400s\nwant %.400s", got, want)
	}
}

func environ(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return os.LookupEnv(name)
	}
}
