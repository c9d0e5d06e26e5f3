package demand

import (
	"slices"
	"strings"
)

// Languages are those that code can tell apart, by their codes of ISO 639-1.
func Languages() []string {
	return []string{"ar", "bg", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nb", "nl", "pl", "pt", "ro", "ru",
		"sv", "th", "tr", "uk", "zh"}
}

// code checks the code of a language.
func code(field, lang string) *problem {
	if !slices.Contains(Languages(), lang) {
		return wrong(field, "is %.20q; code can tell %s", lang, strings.Join(Languages(), ", "))
	}
	return nil
}

func (d Demands) language() *problem {
	if d.Language == nil {
		return nil
	}
	return code("language", *d.Language)
}
