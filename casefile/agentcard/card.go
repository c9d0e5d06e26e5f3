package agentcard

import (
	"encoding/json"

	"ojud/casefile"
)

// extension is the URI of the extension with what a court needs.
const extension = "urn:ojud:agent:1"

// Card is an A2A 1.0 AgentCard. Members that are optional and empty are left out.
type Card struct {
	Name             string          `json:"name"`
	Description      string          `json:"description"`
	Interfaces       []Interface     `json:"supportedInterfaces"`
	Provider         *Provider       `json:"provider,omitempty"`
	Version          string          `json:"version"` // of the agent
	DocumentationURL string          `json:"documentationUrl,omitempty"`
	IconURL          string          `json:"iconUrl,omitempty"`
	Capabilities     Capabilities    `json:"capabilities"`
	Schemes          json.RawMessage `json:"securitySchemes,omitempty"`      // an object
	Requirements     json.RawMessage `json:"securityRequirements,omitempty"` // an array
	InputModes       []string        `json:"defaultInputModes"`
	OutputModes      []string        `json:"defaultOutputModes"`
	Skills           []Skill         `json:"skills"`
	Signatures       []JWS           `json:"signatures,omitempty"`
}

// Interface is where an agent can be reached.
type Interface struct {
	URL      string `json:"url"`
	Binding  string `json:"protocolBinding"`
	Tenant   string `json:"tenant,omitempty"`
	Protocol string `json:"protocolVersion"`
}

// Provider offers the agent.
type Provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

// Capabilities are the optional parts of A2A that the agent has.
type Capabilities struct {
	Streaming         bool    `json:"streaming,omitempty"`
	PushNotifications bool    `json:"pushNotifications,omitempty"`
	ExtendedAgentCard bool    `json:"extendedAgentCard,omitempty"`
	Extensions        []Added `json:"extensions,omitempty"`
}

// Added is an extension of A2A.
type Added struct {
	URI         string          `json:"uri"`
	Description string          `json:"description,omitempty"`
	Required    bool            `json:"required,omitempty"`
	Params      json.RawMessage `json:"params,omitempty"`
}

// Skill is a kind of work that the agent does.
type Skill struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	Tags         []string        `json:"tags"`
	Examples     []string        `json:"examples,omitempty"`
	InputModes   []string        `json:"inputModes,omitempty"`
	OutputModes  []string        `json:"outputModes,omitempty"`
	Requirements json.RawMessage `json:"securityRequirements,omitempty"` // an array
}

// JWS is a JSON Web Signature without its payload.
type JWS struct {
	Protected string `json:"protected"`
	Signature string `json:"signature"`
}

// CourtTerms are what a court needs: the params of the extension.
type CourtTerms struct {
	Authority casefile.Address `json:"authority"` // the agent's key, which signs the card
	Prices    []Price          `json:"prices,omitempty"`
	Sources   []string         `json:"sources,omitempty"` // names of data sources that it works with
}

// Price is what the agent asks for a skill.
type Price struct {
	Skill    string          `json:"skill"`
	Lamports casefile.Amount `json:"lamports"`
}
