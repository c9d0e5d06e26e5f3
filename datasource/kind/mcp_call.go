package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// contextMeta is the member of _meta by which a server of MCP is told the context of a call.
const contextMeta = "ojud/context"

// contextKey is where a ctx has the context of a call.
type contextKey struct{}

// WithContext has servers of MCP told a context beside each request with ctx. Other kinds do not
// tell it. The context is JSON.
func WithContext(ctx context.Context, about json.RawMessage) context.Context {
	if len(about) == 0 {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, about)
}

// Answer implements Upstream. If the server has forgotten the session, Answer opens a new one once,
// because the server did nothing for the call.
func (s *server) Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	if _, err := members(request); err != nil {
		return nil, err
	}
	answer, err := s.call(ctx, request)
	if errors.Is(err, mcp.ErrSessionMissing) {
		answer, err = s.call(ctx, request)
	}
	return answer, err
}

func (s *server) call(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	session, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	params := &mcp.CallToolParams{Name: s.Tool, Arguments: request}
	if about, ok := ctx.Value(contextKey{}).(json.RawMessage); ok {
		params.Meta = mcp.Meta{contextMeta: about}
	}
	result, err := session.client.CallTool(ctx, params)
	if err = s.judge(ctx, session, err); err != nil {
		return nil, err
	}
	return content(result)
}

// judge classifies the result of a call, and closes a session that is no longer usable.
func (s *server) judge(ctx context.Context, session *session, err error) error {
	var said *jsonrpc.Error
	switch {
	case err == nil:
		s.answered(session)
		return nil
	case errors.As(err, &said) && said.Code == jsonrpc.CodeInvalidParams:
		s.answered(session)
		return fmt.Errorf("%w: the server says: %s", ErrRequest, bounded(said.Message, 300))
	case errors.As(err, &said):
		s.answered(session)
		return fmt.Errorf("%w: the server says: %s", ErrRefused, bounded(said.Message, 300))
	case ctx.Err() != nil:
		s.slow(session)
		return fmt.Errorf("%w: %w", ErrSlow, ctx.Err())
	}
	s.drop(session)
	if session.large() {
		return fmt.Errorf("%w: more than %d bytes in one message", ErrLarge, s.frame())
	}
	return fmt.Errorf("%w: %w", ErrDown, err)
}

func (s *server) Describe(ctx context.Context) (Tool, error) {
	session, err := s.acquire(ctx)
	if err != nil {
		return Tool{}, err
	}
	const most = 1000
	var names []string
	for tool, err := range session.client.Tools(ctx, nil) {
		if err = s.judge(ctx, session, err); err != nil {
			return Tool{}, err
		}
		if tool.Name == s.Tool {
			return shape(tool)
		}
		if names = append(names, tool.Name); len(names) > most {
			break
		}
	}
	list := bounded(strings.Join(names, ", "), 400)
	if s.Tool == anyTool {
		return Tool{}, fmt.Errorf("%w: which one? The server has %s", ErrTool, list)
	}
	return Tool{}, fmt.Errorf("%w: it has no tool %q; it has %s", ErrTool, s.Tool, list)
}

// shape copies the server's description of its tool.
func shape(tool *mcp.Tool) (Tool, error) {
	in, err := schemaOf(tool.InputSchema)
	if err != nil {
		return Tool{}, err
	}
	out, err := schemaOf(tool.OutputSchema)
	return Tool{Name: tool.Name, Title: tool.Title, Description: tool.Description, InputSchema: in, OutputSchema: out}, err
}

// schemaOf writes a schema. A bound that canonical JSON cannot hold came as a string (see exact)
// and is left out, because it is no useful bound of integers.
func schemaOf(schema any) (json.RawMessage, error) {
	if schema == nil {
		return json.RawMessage(`{}`), nil
	}
	var prune func(any)
	prune = func(node any) {
		switch v := node.(type) {
		case map[string]any:
			for _, name := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
				if _, isText := v[name].(string); isText {
					delete(v, name)
				}
			}
			for _, item := range v {
				prune(item)
			}
		case []any:
			for _, item := range v {
				prune(item)
			}
		}
	}
	prune(schema)
	return encode(schema)
}

// content makes an answer from a result. It takes the structured content if there is one, and
// otherwise the text. It parses the text if it is a JSON object or array.
func content(result *mcp.CallToolResult) (json.RawMessage, error) {
	if result.NeedsInput() {
		return nil, fmt.Errorf("%w: the tool asks for more input, and there is nobody to give it", ErrRefused)
	}
	text, other := texts(result.Content)
	if result.IsError {
		return nil, fmt.Errorf("%w: the tool says: %s", ErrRefused, bounded(text, 300))
	}
	if result.StructuredContent != nil {
		return encode(result.StructuredContent)
	}
	if text == "" && other > 0 {
		return nil, fmt.Errorf("%w: the tool answers with images or sound alone", ErrSchema)
	}
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed), nil
		}
	}
	return encode(map[string]any{"text": text})
}

// texts joins the texts of a result and counts the other items.
func texts(items []mcp.Content) (joined string, other int) {
	var parts []string
	for _, item := range items {
		switch c := item.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.EmbeddedResource:
			if c.Resource != nil && c.Resource.Text != "" {
				parts = append(parts, c.Resource.Text)
			}
		default:
			other++
		}
	}
	return strings.Join(parts, "\n"), other
}

// patience returns how long the start of a session may take.
func (m *MCP) patience() time.Duration {
	if m.StartSeconds == 0 {
		return startDefault * time.Second
	}
	return time.Duration(m.StartSeconds) * time.Second
}
