// Package preset has the well-known APIs that "ojud source add --as" offers without a template.
package preset

import "ojud/datasource/kind"

// Preset describes a well-known API: what a judge may ask, what it gets, and how often. What the
// owner says besides counts more.
type Preset struct {
	Name     string // of the source, so that all holders use the same
	Upstream kind.Values
	About    string // the description
	In, Out  string // schemas
	Access   []string
	Total    string // rate of all askers, below what the API allows
	Fresh    int64  // seconds
	Sample   string // request that anybody may make; empty: none
}

// All returns the presets of "ojud source add --as", by name.
func All() map[string]Preset {
	const text, when, optional, absent = `{"type":"string"}`, `{"type":["string","null"]}`, `{"type":["object","null"]}`, `{"exists":false}`
	return map[string]Preset{
		"github": {
			Name: "github.issue",
			Upstream: kind.Values{
				"http": {"https://api.github.com/repos/{owner}/{repo}/issues/{number}"}, "missing": {absent},
				"header": {"Accept=application/vnd.github+json", "X-GitHub-Api-Version=2022-11-28"},
			},
			About: "An issue or a pull request on GitHub by owner, repository and number: title, text, author, state, times, and whether it was merged. If there is none, exists is false.",
			In: `{"type":"object","properties":{"owner":{"type":"string","pattern":"^[A-Za-z0-9-]{1,39}$"},"repo":{"type":"string","pattern":"^[A-Za-z0-9._-]{1,100}$"},` +
				`"number":{"type":"integer","minimum":1,"maximum":1000000000}},"required":["owner","repo","number"],"additionalProperties":false}`,
			Out: `{"type":"object","properties":{"exists":{"type":"boolean"},"number":{"type":"integer"},"title":` + text + `,"body":` + when + `,"state":` + text + `,"created_at":` + text + `,"closed_at":` + when +
				`,"user":` + optional + `,"pull_request":` + optional + `}}`,
			Access: []string{"/exists", "/number", "/title", "/body", "/state", "/state_reason", "/created_at", "/updated_at", "/closed_at", "/user/login", "/pull_request/merged_at"},
			Total:  "50/1h", Fresh: 300, Sample: `{"owner":"octocat","repo":"Hello-World","number":1}`,
		},
		"discord": {
			Name: "discord.message",
			Upstream: kind.Values{
				"http": {"https://discord.com/api/v10/channels/{channel}/messages/{message}"}, "missing": {absent},
				"header": {"Authorization=Bot ${env:DISCORD_BOT_TOKEN}"},
			},
			About: "A message on Discord by the numbers of its channel and its own: author, text, times. If there is none, exists is false; it is an error if the bot is not in the channel.",
			In: `{"type":"object","properties":{"channel":{"type":"string","pattern":"^[0-9]{17,20}$"},"message":{"type":"string","pattern":"^[0-9]{17,20}$"}},` +
				`"required":["channel","message"],"additionalProperties":false}`,
			Out: `{"type":"object","properties":{"exists":{"type":"boolean"},"id":` + text + `,"channel_id":` + text + `,"content":` + text + `,"timestamp":` + text + `,"edited_timestamp":` + when + `,"author":` + optional +
				`}}`,
			Access: []string{"/exists", "/id", "/channel_id", "/content", "/timestamp", "/edited_timestamp", "/author/id", "/author/username", "/author/bot"},
			Total:  "30/60s", Fresh: 60,
		},
	}
}
