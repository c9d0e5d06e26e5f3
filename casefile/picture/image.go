package picture

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"ojud/casefile"
)

// Image is a picture of a party: a text of a document, or an exhibit. A browser may show it.
type Image struct {
	Kind          string // image/png, image/jpeg or image/gif
	Content       []byte
	Width, Height int // pixels, as the picture says
	hash          casefile.Digest
}

// The largest picture that is shown. A browser takes four bytes for each pixel.
const (
	maxSide   = 4096
	maxPixels = 8 << 20
	maxImage  = 512 << 10 // bytes
	maxImages = 8         // exhibits of a document; a page reads them each time that it is drawn
)

// imageOf reads a picture that stands in a text in base64, or as a data URL.
func imageOf(text string) (i Image, ok bool) {
	if rest, found := strings.CutPrefix(text, "data:"); found {
		head, body, _ := strings.Cut(rest, ",")
		if !strings.HasSuffix(head, ";base64") {
			return i, false
		}
		text = body
	}
	const shortest = 24 // characters
	if len(text) < shortest {
		return i, false
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return i, false
	}
	return imageIn(raw)
}

// shown is a picture on a page: its address is made of the case and the hash.
type shown struct {
	Hash, Words   string
	Width, Height int
}

func (i Image) shown() *shown {
	return &shown{i.hash.String(), fmt.Sprintf("a picture, %s, %d × %d pixels, %d bytes", i.Kind, i.Width, i.Height, len(i.Content)), i.Width, i.Height}
}

// FindImage finds the picture with that hash in the documents of a case and among their exhibits.
func FindImage(s Scene, hash casefile.Digest) (Image, bool) {
	t := TermsOf(s)
	if t == nil {
		return Image{}, false
	}
	for _, document := range []casefile.Digest{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash} {
		raw, ok := content(s, document)
		if !ok {
			continue
		}
		all := texts(raw)
		if task, err := casefile.ParseTask(raw); err == nil {
			for _, item := range task.Value.InputData {
				all = append(all, texts(item)...)
			}
		}
		for _, text := range all {
			if i, ok := imageOf(text); ok && i.hash == hash {
				return i, true
			}
		}
		doc, err := casefile.ParseObjection(raw)
		if err != nil {
			continue // it has no exhibits
		}
		for _, e := range doc.Value.Evidence[:min(len(doc.Value.Evidence), maxImages)] {
			if i, ok := exhibitImage(s, e); ok && i.hash == hash {
				return i, true
			}
		}
	}
	return Image{}, false
}

// texts returns the texts of a value that blocks shows: itself, or its members.
func texts(raw []byte) (out []string) {
	var members map[string]json.RawMessage
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		return []string{whole}
	}
	if json.Unmarshal(raw, &members) != nil || len(members) > maxBlocks {
		return nil
	}
	for _, member := range members {
		var text string
		if json.Unmarshal(member, &text) == nil {
			out = append(out, text)
		}
	}
	return out
}

// exhibitImage returns an exhibit that is a picture and is here.
func exhibitImage(s Scene, e casefile.Exhibit) (Image, bool) {
	if e.Bytes > maxImage {
		return Image{}, false
	}
	raw, ok := content(s, e.SHA256)
	if !ok {
		return Image{}, false
	}
	return imageIn(raw)
}
