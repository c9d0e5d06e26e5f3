package brainapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"ojud/casefile/canon"
	"ojud/megabrain/finding"
)

// The limits of what a worker hands in.
const (
	maxSummary     = 500 // characters
	maxSummaryByte = 700
	maxAttachments = finding.MaxAttachments
	maxAttachment  = finding.MaxAttachment
	maxFileName    = 100 // bytes
)

// work is what a worker hands in.
type work struct {
	TaskID  string `path:"taskId" pattern:"^0x[0-9a-fA-F]{64}$" patternDescription:"0x and 64 hexadecimal digits"`
	Key     string `header:"Idempotency-Key" maxLength:"128" doc:"a second request with the same key and body gets the first answer"`
	RawBody multipart.Form
}

// handedIn is the answer.
type handedIn struct {
	Body struct {
		SubmissionID  string               `json:"submissionId" doc:"SHA-256 over task and agent: a worker hands in once"`
		ResultHash    string               `json:"resultHash" doc:"SHA-256 of the result in canonical JSON"`
		Confirmations int                  `json:"confirmations" doc:"1: the cluster confirmed the commitment"`
		TxHash        string               `json:"txHash,omitempty" doc:"signature of the transaction, in base58; missing: the chain had the commitment before"`
		Attachments   []finding.Attachment `json:"attachments,omitempty"`
	}
}

func (s *AgentAPI) handing() {
	o := op(http.MethodPost, "/tasks/{taskId}/submit", "submit", "Hand in a result: commit to it now; the server shows it when all have committed", "worker")
	o.Errors = append(o.Errors, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
		Type: "object", Required: []string{"result", "summary"}, Properties: map[string]*huma.Schema{
			"result":      {Description: "any JSON; its canonical form has at most 22 KiB"},
			"summary":     {Type: "string", MaxLength: ptr(maxSummary), Description: "what the result says; at most 700 bytes, because a transaction has 1,232"},
			"attachments": {Type: "array", MaxItems: ptr(maxAttachments), Items: &huma.Schema{Type: "string", Format: "binary"}, Description: "files of at most 256 KiB; each is what its Content-Type says"},
		},
	}}}}
	huma.Register(s.api, o, func(ctx context.Context, in *work) (*handedIn, error) {
		defer func() { _ = in.RawBody.RemoveAll() }() // files of a form that was read; there is nothing to do about one that stays
		p, err := s.acts(ctx, in.TaskID)
		if err != nil {
			return nil, err
		}
		result, summary, files, err := form(&in.RawBody)
		if err != nil {
			return nil, err
		}
		list, proof, err := s.keep(files)
		if err != nil {
			return nil, err
		}
		request := bytes.Join([][]byte{[]byte("submit"), p.task[:], result, []byte(summary), proof}, []byte{0})
		return once(s, p.agent, in.Key, request, func() (*handedIn, error) {
			sent, err := p.hand.Commit(ctx, p.task, result, summary, proof)
			if err != nil {
				return nil, refused(err)
			}
			if err := s.drafts.attach(p.task, p.key, proof); err != nil {
				return nil, err // the same request again finds the commitment
			}
			out := &handedIn{}
			out.Body.SubmissionID = hexed(sha256.Sum256(slices.Concat([]byte("submission"), p.task[:], p.key[:])))
			out.Body.ResultHash, out.Body.Confirmations, out.Body.TxHash, out.Body.Attachments = "0x"+sent.Hash, 1, sent.Signature, list
			return out, nil
		})
	})
}

func ptr(n int) *int { return &n }

// file is an attachment with its content.
type file struct {
	finding.Attachment
	content []byte
}

// form reads what a worker hands in.
func form(f *multipart.Form) (result []byte, summary string, files []file, err error) {
	for name, all := range f.Value {
		if name != "result" && name != "summary" || len(all) != 1 {
			return nil, "", nil, huma.Error422UnprocessableEntity(fmt.Sprintf("the form has %d fields %.40q; it has one result, one summary, and files as attachments", len(all), name))
		}
	}
	for name, all := range f.File {
		if name != "attachments" && (name != "result" || len(all) != 1) {
			return nil, "", nil, huma.Error422UnprocessableEntity(fmt.Sprintf("the form has files as %.40q; files are attachments", name))
		}
	}
	switch {
	case len(f.Value["result"]) == 1 && len(f.File["result"]) == 0:
		result = []byte(f.Value["result"][0])
	case len(f.Value["result"]) == 0 && len(f.File["result"]) == 1:
		if result, err = content(f.File["result"][0]); err != nil {
			return nil, "", nil, err
		}
	default:
		return nil, "", nil, huma.Error422UnprocessableEntity("the form has no field result, or two; it has one, in JSON")
	}
	if result, err = canon.JSON(result, finding.MaxResult); err != nil {
		code := huma.Error422UnprocessableEntity
		if errors.Is(err, canon.ErrTooLarge) {
			code = func(text string, _ ...error) huma.StatusError {
				return huma.NewError(http.StatusRequestEntityTooLarge, text)
			}
		}
		return nil, "", nil, code(fmt.Sprintf("result: %v; it has at most %d bytes: put what is larger on a memory node, and name its hash", err, finding.MaxResult))
	}
	if len(f.Value["summary"]) != 1 {
		return nil, "", nil, huma.Error422UnprocessableEntity("the form has no field summary")
	}
	summary = f.Value["summary"][0]
	if n := utf8.RuneCountInString(summary); !utf8.ValidString(summary) || n > maxSummary || len(summary) > maxSummaryByte {
		return nil, "", nil, huma.Error422UnprocessableEntity(fmt.Sprintf("summary has %d characters and %d bytes; it has at most %d and %d: shorten it", n, len(summary), maxSummary, maxSummaryByte))
	}
	if n := len(f.File["attachments"]); n > maxAttachments {
		return nil, "", nil, huma.Error422UnprocessableEntity(fmt.Sprintf("the form has %d attachments; it has at most %d", n, maxAttachments))
	}
	for i, h := range f.File["attachments"] {
		one, err := attached(h)
		if err != nil {
			return nil, "", nil, fmt.Errorf("attachments[%d]: %w", i, err)
		}
		files = append(files, one)
	}
	return result, summary, files, nil
}

// content reads a part of a form.
func content(h *multipart.FileHeader) (raw []byte, err error) {
	if h.Size > maxAttachment {
		return nil, huma.NewError(http.StatusRequestEntityTooLarge, fmt.Sprintf("the file has %d bytes; it has at most %d", h.Size, maxAttachment))
	}
	f, err := h.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxAttachment+1))
}

// attached reads an attachment, which has to be what it says that it is.
func attached(h *multipart.FileHeader) (file, error) {
	raw, err := content(h)
	if err != nil {
		return file{}, err
	}
	if !finding.FileName(h.Filename) {
		return file{}, huma.Error422UnprocessableEntity(fmt.Sprintf("the name of a file has 1 to %d bytes, and no path", maxFileName))
	}
	said, _, err := mime.ParseMediaType(h.Header.Get("Content-Type"))
	if err != nil {
		return file{}, huma.Error415UnsupportedMediaType("the file has no Content-Type that can be read; name one, or application/octet-stream")
	}
	if why := mislabelled(said, raw); why != "" {
		return file{}, huma.Error415UnsupportedMediaType(why)
	}
	return file{finding.Attachment{Name: h.Filename, Type: said, Bytes: len(raw), SHA256: fmt.Sprintf("%x", sha256.Sum256(raw))}, raw}, nil
}

// mislabelled says why content is not what its type says; empty: it is, or the type says nothing.
func mislabelled(said string, raw []byte) string {
	found, _, _ := strings.Cut(http.DetectContentType(raw), ";")
	switch said {
	case "application/octet-stream":
		return ""
	case "application/json":
		if json.Valid(raw) {
			return ""
		}
		found = "no JSON"
	case "text/plain", "text/csv", "text/markdown":
		if utf8.Valid(raw) && strings.HasPrefix(found, "text/") {
			return ""
		}
	case "image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "application/zip":
		if found == said {
			return ""
		}
	default:
		return fmt.Sprintf("the file is %.60q, which is not taken; take one of PNG, JPEG, GIF, WebP, PDF, ZIP, JSON and text, or application/octet-stream", said)
	}
	return fmt.Sprintf("the file says that it is %s, and it is %s", said, found)
}

// keep keeps attachments, and returns the hash of their list, which the chain gets as the proof of
// the result. They go to the memory nodes with the result, when it is revealed.
func (s *AgentAPI) keep(files []file) (list []finding.Attachment, proof []byte, err error) {
	if len(files) == 0 {
		return nil, nil, nil
	}
	for _, f := range files {
		if _, err := s.n.Folder.Keep(f.content); err != nil {
			return nil, nil, err
		}
		list = append(list, f.Attachment)
	}
	raw, err := json.Marshal(map[string]any{"attachments": list})
	if err != nil {
		return nil, nil, err
	}
	hash, err := s.n.Folder.Keep(raw)
	if err != nil {
		return nil, nil, err
	}
	return list, hash[:], nil
}
