package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// behave answers a question as a mode demands. n is the number of earlier requests in this mode.
func (s *Server) behave(m Mode, w http.ResponseWriter, r *http.Request, q question, n int) error {
	switch m {
	case Silent:
		<-r.Context().Done()
	case Refusing:
		return refuse(w, http.StatusBadRequest, "this request cannot be done")
	case Busy:
		return refuse(w, http.StatusTooManyRequests, "come back later")
	case Failing:
		return refuse(w, http.StatusInternalServerError, "out of memory")
	case Redirect:
		w.Header().Set("Location", "http://"+s.elsewhere+"/v1/chat/completions")
		w.WriteHeader(http.StatusTemporaryRedirect)
	case Gigabyte:
		return s.pour(w)
	case Half, Stalled:
		return hold(w, r, m, completion(answer(q), "stop"))
	case StreamError, StreamCall, StreamCalls:
		return stream(w, m)
	case RetryAfter:
		if n%2 == 0 {
			w.Header().Set("Retry-After", "1")
			return refuse(w, http.StatusTooManyRequests, "come back in a second")
		}
		return say(w, completion(answer(q), "stop"))
	case NoTemperature:
		for _, key := range []string{"temperature", "top_p", "top_k"} {
			if q.has(key) {
				return refuse(w, http.StatusBadRequest, "Unsupported parameter: "+key)
			}
		}
		return say(w, completion(answer(q), "stop"))
	case NoTools:
		if q.tools {
			return refuse(w, http.StatusBadRequest, "this model does not support tools")
		}
		return say(w, completion(answer(q), ""))
	default:
		return say(w, wrong(m, q))
	}
	return nil
}

// wrong returns a body in the form of the API.
func wrong(m Mode, q question) string {
	good := answer(q)
	switch m {
	case Knowing:
		return completion(knows(q), "stop")
	case Prose:
		return completion("As a judge I am delighted with this result, so I accept it.", "stop")
	case Cut:
		return completion(good[:len(good)*2/3], "stop")
	case ExtraKeys:
		return completion(strings.TrimSuffix(good, "}")+`,"confidence":1}`, "stop")
	case OtherAgent:
		return completion(`{"agent_id":"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK","accept":true,"choice":"accept"}`, "stop")
	case LongLine:
		return completion(strings.TrimSuffix(good, "}")+strings.Repeat(" ", 100<<10)+"}", "stop")
	case UnknownTool:
		return call(q, "delete_all", "{}")
	case ToolLoop:
		return call(q, "ask", encode(map[string]any{"data_source": q.source, "request": map[string]any{}}))
	}
	return completion(good, "stop")
}

// call calls a tool, as an action if the question asks for one.
func call(q question, tool, input string) string {
	if q.action {
		return completion(fmt.Sprintf(`{"thought":"I need it","action":"call","tool":%q,"input":%s}`, tool, input), "stop")
	}
	return fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":%q,"arguments":%q}}]},
"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}`, tool, input)
}

func completion(text, stop string) string {
	return encode(map[string]any{
		"id": "1", "object": "chat.completion", "model": "test",
		"choices": []any{map[string]any{"index": 0, "finish_reason": stop, "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
	})
}

func say(w http.ResponseWriter, body string) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := io.WriteString(w, body)
	return err
}

func refuse(w http.ResponseWriter, status int, message string) error {
	w.WriteHeader(status)
	_, err := fmt.Fprintf(w, `{"error":{"message":%q,"type":"x"}}`, message)
	return err
}

// hold sends a header and, for Half, half of a body. Then it waits until the client gives up.
func hold(w http.ResponseWriter, r *http.Request, m Mode, body string) error {
	w.Header().Set("Content-Type", "application/json")
	if m == Half {
		if _, err := io.WriteString(w, body[:len(body)/2]); err != nil {
			return err
		}
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		return err
	}
	<-r.Context().Done()
	return nil
}

// streams are the answers of servers that stream unasked.
var streams = map[Mode][]string{
	StreamError: {`{"choices":[{"index":0,"delta":{"content":"{\"items\": [{\"id\":\"I1\",\"met\":\"y"}}]}`, `{"error":{"message":"out of memory"}}`},
	StreamCall: {`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"ask","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"type":"function","function":{"arguments":"{\"x\""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"type":"function","function":{"arguments":":1}"}}]}}]}`, "[DONE]"},
	StreamCalls: {`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"g","arguments":"{\"y\":2}"}}]}}]}`, "[DONE]"},
}

func stream(w http.ResponseWriter, m Mode) error {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, part := range streams[m] {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", part); err != nil {
			return err
		}
	}
	return nil
}

// pour sends a gigabyte, or as much as the client reads.
func (s *Server) pour(w http.ResponseWriter) error {
	piece := []byte(strings.Repeat("x", 1<<16))
	for range 1 << 14 {
		n, err := w.Write(piece)
		s.poured.Add(int64(n))
		if err != nil {
			return err
		}
	}
	return nil
}
