package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ojud/agent/face"
)

// The suite's own picture and sound, of which it reads the form only.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	sound   = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// answers is a tool that gives content.
func answers(content ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

// elicits is a tool that asks the client's user.
func elicits(schema string) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args struct{ Message string }
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: args.Message + "?", RequestedSchema: json.RawMessage(schema)})
		if err != nil {
			return nil, err
		}
		return text(fmt.Sprintf("Elicitation result: action=%s, content=%v", got.Action, got.Content), false), nil
	}
}

const (
	username = `{"type":"object","properties":{"username":{"type":"string","description":"Your name"},"email":{"type":"string","description":"Your address"}},"required":["username"]}`
	defaults = `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`
	enums = `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`
	draft = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`
)

// examined is the server of this package with what the suite expects of a server by name. What the
// package has itself comes from it: calls, errors, lines about progress, and streams.
func examined(t *testing.T) *Face {
	t.Helper()
	s, err := create(quiet(), func(o *sdk.ServerOptions) {
		o.Capabilities = nil
		o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{"paris"}}}, nil
		}
		o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	},
		face.Make(face.About{Name: "test_simple_text", Description: "Text."}, func(context.Context, struct{}, face.Say) (any, error) {
			return "This is a simple text response for testing.", nil
		}),
		face.Make(face.About{Name: "test_error_handling", Description: "An error."}, func(context.Context, struct{}, face.Say) (any, error) {
			return nil, errors.New("this tool intentionally returns an error for testing")
		}),
		face.Make(face.About{Name: "test_tool_with_progress", Description: "Lines."}, func(_ context.Context, _ struct{}, say face.Say) (any, error) {
			for _, line := range []string{"begin", "half", "end"} {
				say(line)
			}
			return "done", nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	image := &sdk.ImageContent{Data: bytesOf(t, picture), MIMEType: "image/png"}
	embedded := &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}}
	add := func(name, schema string, handler sdk.ToolHandler) {
		s.sdk.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)}, handler)
	}
	const none, asks, prompts = `{"type":"object"}`, `{"type":"object","properties":{"message":{"type":"string"}}}`, `{"type":"object","properties":{"prompt":{"type":"string"}}}`
	add("test_image_content", none, answers(image))
	add("test_audio_content", none, answers(&sdk.AudioContent{Data: bytesOf(t, sound), MIMEType: "audio/wav"}))
	add("test_embedded_resource", none, answers(embedded))
	add("test_multiple_content_types", none, answers(&sdk.TextContent{Text: "Multiple content types test:"}, image, embedded))
	add("json_schema_2020_12_tool", draft, answers(&sdk.TextContent{Text: "ok"}))
	add("test_elicitation", asks, elicits(username))
	add("test_elicitation_sep1034_defaults", asks, elicits(defaults))
	add("test_elicitation_sep1330_enums", asks, elicits(enums))
	add("test_tool_with_logging", none, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, line := range []string{"begin", "half", "end"} {
			//nolint:staticcheck // the suite examines what later protocols deprecate
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
		}
		return text("done", false), nil
	})
	add("test_sampling", prompts, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args struct{ Prompt string }
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		//nolint:staticcheck // likewise
		got, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: args.Prompt}}}})
		if err != nil {
			return nil, err
		}
		return text(fmt.Sprintf("LLM response: %v", got.Content), false), nil
	})
	add("test_reconnection", none, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		return text("the client came back", false), nil
	})
	s.resources(image)
	return s
}

// resources adds the resources and prompts of the suite.
func (s *Face) resources(image *sdk.ImageContent) {
	read := func(name, kind string, content func(uri string) *sdk.ResourceContents) {
		s.sdk.AddResource(&sdk.Resource{Name: name, Description: name, MIMEType: kind, URI: "test://" + name}, reads(content))
	}
	read("static-text", "text/plain", func(uri string) *sdk.ResourceContents {
		return &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	})
	read("watched-resource", "text/plain", func(uri string) *sdk.ResourceContents {
		return &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "watched"}
	})
	read("static-binary", "image/png", func(uri string) *sdk.ResourceContents {
		return &sdk.ResourceContents{URI: uri, MIMEType: "image/png", Blob: image.Data}
	})
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", Description: "A template", MIMEType: "application/json", URITemplate: "test://template/{id}/data"},
		reads(func(uri string) *sdk.ResourceContents {
			id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
			return &sdk.ResourceContents{URI: uri, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}
		}))
	prompt := func(name string, arguments []string, content func(map[string]string) []sdk.Content) {
		p := &sdk.Prompt{Name: name, Description: name}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: a, Required: true})
		}
		s.sdk.AddPrompt(p, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			out := &sdk.GetPromptResult{}
			for _, c := range content(r.Params.Arguments) {
				out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	prompt("test_simple_prompt", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: "This is a simple prompt for testing."}}
	})
	prompt("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])}}
	})
	prompt("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded"}}, &sdk.TextContent{Text: "Read it."}}
	})
	prompt("test_prompt_with_image", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{image, &sdk.TextContent{Text: "Look at it."}}
	})
}

// reads is a resource with content.
func reads(content func(uri string) *sdk.ResourceContents) sdk.ResourceHandler {
	return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{content(r.Params.URI)}}, nil
	}
}

const suiteFolder = "testdata/conformance/node_modules"

// suite returns how the conformance suite is started. If it is missing and MCP_SUITE is set, as in
// make clients, that is a failure; otherwise the result is nil.
func suite(t *testing.T) []string {
	t.Helper()
	node := filepath.Join(suiteFolder, "node-"+runtime.GOOS+"-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1), "bin", "node")
	script := filepath.Join(suiteFolder, "@modelcontextprotocol/conformance/dist/index.js")
	for _, path := range []string{node, script} {
		if _, err := os.Stat(path); err != nil {
			if os.Getenv("MCP_SUITE") != "" {
				t.Fatal(err)
			}
			t.Logf("NOT RUN: %v; make clients installs the conformance suite of MCP", err)
			return nil
		}
	}
	return []string{node, script}
}

// verdicts are the worst checks of each scenario.
func verdicts(t *testing.T, dir string) map[string]string {
	t.Helper()
	order := []string{"INFO", "SKIPPED", "SUCCESS", "WARNING", "FAILURE"}
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			t.Fatal(err)
		}
		worst := "INFO"
		for _, c := range checks {
			if slices.Index(order, c.Status) > slices.Index(order, worst) {
				worst = c.Status
			}
			if c.Status != "SUCCESS" && c.Status != "INFO" {
				t.Logf("%s: %s %s: %s", filepath.Base(filepath.Dir(path)), c.ID, c.Status, c.ErrorMessage)
			}
		}
		name := strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "server-")
		out[name[:max(0, len(name)-len("-2026-01-01T00-00-00-000Z"))]] = worst
	}
	return out
}

// conform runs scenarios against a server, and returns how each ended.
func conform(t *testing.T, run []string, s *Face, args ...string) map[string]string {
	t.Helper()
	handler := s.Handler("a word of a server")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer a word of a server") // the suite cannot send it
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, run[0], slices.Concat(run[1:], []string{"server", "--url", server.URL, "-o", dir}, args)...)
	said, err := cmd.CombinedOutput()
	out := verdicts(t, dir)
	if err != nil {
		t.Logf("the suite: %v: %.2000s", err, said)
	}
	if len(out) == 0 {
		t.Fatalf("the suite examined nothing: %v: %s", err, said)
	}
	return out
}

// TestConformance: every scenario of the conformance suite of MCP ends without a failure and
// without a warning, against the server of this package with the tools that the suite names.
func TestConformance(t *testing.T) {
	t.Parallel()
	run := suite(t)
	if run == nil {
		return
	}
	all := conform(t, run, examined(t), "--suite", "all")
	if len(all) != 32 {
		t.Errorf("%d scenarios: %v", len(all), all)
	}
	for name, worst := range all {
		if worst != "SUCCESS" {
			t.Errorf("%s: %s", name, worst)
		}
	}
}

// TestConformanceControl: the suite finds a server that keeps no events of lost streams.
func TestConformanceControl(t *testing.T) {
	t.Parallel()
	run := suite(t)
	if run == nil {
		return
	}
	s := examined(t)
	s.events = nil
	if all := conform(t, run, s, "--scenario", "server-sse-polling"); slices.Contains([]string{"SUCCESS", ""}, all["server-sse-polling"]) {
		t.Errorf("%v", all)
	}
}
