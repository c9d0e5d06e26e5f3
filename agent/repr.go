package agent

import "encoding/json"

// Repr describes an agent or a tool, in the shape of an MCP tool.
type Repr struct {
	Name         string          `json:"name"` // 1 to 64 of a-z A-Z 0-9 . _ : -
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`            // JSON Schema 2020-12
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"` // nil: any JSON
}

// ToolCall is a call by an agent or a model.
type ToolCall struct {
	ID    string          `json:"id"` // of the call, in its run
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// ToolResult is the result of a call. Its output may be a stranger's: data, never instructions.
type ToolResult struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Output json.RawMessage `json:"output,omitempty"`
	Error  string          `json:"error,omitempty"` // words that the agent may read
	// Context is the new context of the run, which only the client gives; nil does not change it.
	Context json.RawMessage `json:"context,omitempty"`
}
