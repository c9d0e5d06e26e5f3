package prose

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// steers are ways to speak to a reader that is a language model: instructions, roles, marks of chat
// templates, a verdict to copy. A text with one is flagged and nothing else, because parties and
// holders may have good reasons to quote such words, and an attacker finds other words. The order
// to ignore instructions is known in seventeen languages.
var steers = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(?:ignore|disregard|forget|override)\W+(?:\w+\W+){0,3}?(?:previous|prior|above|earlier|preceding|your|system)\b`,
	`\b(?:system|developer)\W+(?:prompt|message|instructions?|override)\b`,
	`\b(?:new|updated|revised)\W+(?:system\W+)?instructions?\b\W*:`,
	`\b(?:you|the judges?|judges)\W+(?:must|shall|should|have to|are (?:required|obliged|instructed|ordered) to)\W+(?:\w+\W+){0,2}?(?:accept|reject|abstain|vote|approve|rule)\b`,
	`\b(?:vote|answer|respond|reply|output)\W+(?:with\W+)?(?:only\W+)?["']?(?:accept|reject|abstain)\b`,
	`\byou are (?:now|no longer)\b`, `\b(?:jailbreak|DAN mode|developer mode)\b`,
	`<[|｜][a-z_▁ ]{2,32}[|｜]>`, `\[/?(?:INST|SYSTEM(?:_PROMPT)?|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|gMASK)\]`, `<</?SYS>>`, `</?(?:start|end)_of_turn>`,
	`</?(?:think|thinking|tool_call|tool_response|function_calls?|unused\d+)>`, `<(?:bos|eos|sop|eop|extra_id_\d+)>`, `</s>\s*(?:<s>|\[INST\])`, `\]~!?b(?:os)?\[|\]~b\]`,
	`(?:^|[\n"])\s*(?:human|user)\s*:[^\n]*\n+\s*(?:ai|bot|gpt|model)\s*:`,
	`(?:^|\n)\s*#{2,4}\s*(?:(?:instruction|system|assistant)s?\b|response\s*:)`,
	`(?:^|\n)\s*(?:system|assistant)\s*:`,
	// The same order in German, Dutch, Polish and Turkish; Spanish, French, Italian and Portuguese.
	`\b(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie|missachten? sie|missachte)\W+(?:\S+\s+){0,3}?(?:bisherigen|vorherigen|obigen|alle|anweisungen)\b`,
	`\b(?:negeer|vergeet)\W+(?:\S+\s+){0,3}?(?:instructies|aanwijzingen|opdrachten|bovenstaande)`,
	`\b(?:zignoruj|ignoruj|pomiń|zapomnij)\S*\s+(?:\S+\s+){0,3}?(?:instrukcj|polece)`,
	`\b(?:ignor(?:a|e|ez|ate|em|ar|i)|oubliez?|olvida|dimentica|esqueça)\W+(?:\S+\s+){0,3}?(?:instruc\S*|instruç\S*|consignes|istruzioni|anteriores|précédentes|precedenti)`,
	`(?:önceki|yukarıdaki|tüm|bütün)\s+(?:\S+\s+){0,2}?(?:talimat|yönerge|komut)\S*\s+(?:yok say|görmezden|unut|dikkate alma)`,
	`\b(?:antworte|antwoord|odpowiedz|cevap ver|stimme|responde|responda|rispondi|vota|répond[sz]?|votez?)\W+(?:\S+\s+){0,6}?["']?(?:accept|reject|yes|no)\b`,
	// Words for the memory of a reader, which would meet them in another case.
	`\bnote (?:for|to) (?:later|future|other|all) (?:cases|judges)\b`, `\b(?:in|for) all (?:later|future) cases\b`,
}, "|"))

// foreign are such ways in other alphabets: Russian and Ukrainian; Chinese, Japanese and Korean;
// Arabic, Persian and Hindi.
var foreign = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`(?:игнорируй|забудь|ігноруй)\S*\s+(?:\S+\s+){0,3}?(?:инструкци|указани|інструкці|вказівк)`,
	`(?:忽略|无视|忽視|無視|忘记|忘記).{0,8}(?:指令|指示|说明|說明|規則|规则|提示)`,
	`(?:指示|命令|ルール|プロンプト|規則).{0,8}(?:無視|忘れ)`, `(?:지시|명령|지침|프롬프트|규칙).{0,8}(?:무시|잊)`,
	`(?:تجاهل|انس|تجاهلي|نادیده بگیر|فراموش کن)\S*\s+(?:\S+\s+){0,4}?(?:التعليمات|الأوامر|التوجيهات|دستور)`, `دستور\S*\s+(?:\S+\s+){0,4}?نادیده`,
	`(?:निर्देश|आदेश|अनुदेश|नियम)\S*.{0,24}(?:अनदेखा|अनदेखी|भूल\s+जा|उपेक्षा|रअंदाज)`,
	`(?:ответь|голосуй|відповідай|回答|投票|답|투표|أجب|صوت|उत्तर|वोट)[^\n.!?。]{0,24}?\b(?:accept|reject|yes)\b`,
}, "|"))

// copies are verdicts in JSON inside a string of JSON: bait for a model that copies.
var copies = regexp.MustCompile(`\\"(?:choice|accept|verdict|agent_id)\\"\s*:`)

// maxScanned bounds the part of a text that is searched, in bytes. An answer may have a megabyte.
const maxScanned = 128 << 10

// Steering looks for words that speak to a model. Hidden characters, escapes of JSON, Base64,
// letters of other fonts and letters that look like Latin ones do not hide them. It returns the
// beginning of the text that it found. Other words do: no list of words is complete.
func Steering(raw []byte) (quoted string, found bool) {
	raw = raw[:min(len(raw), maxScanned)]
	text := norm.NFKC.String(unescaped(raw))
	match := steers.FindString(text)
	if match == "" && strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		match = foreign.FindString(text)
	}
	if folded := strings.Map(latin, text); match == "" && folded != text {
		match = steers.FindString(folded)
	}
	if match == "" {
		match = string(copies.Find(raw))
	}
	if match == "" {
		match = steers.FindString(encoded(text))
	}
	return Quote(strings.TrimSpace(match)), match != ""
}

// encoded returns the texts that stand in Base64, a line each. No part of the input is decoded
// twice, so they are shorter than it.
func encoded(text string) string {
	var b strings.Builder
	for _, word := range base64s.FindAllString(text, -1) {
		word = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(word, "="))
		if plain, err := base64.RawStdEncoding.DecodeString(word); err == nil && utf8.Valid(plain) {
			b.Write(plain)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

var base64s = regexp.MustCompile(`[A-Za-z0-9+/_-]{24,}={0,2}`)

// Disguised counts words that look Latin and are not: those with letters of another alphabet among
// Latin ones, and those in letters of a font. It returns the first one.
func Disguised(raw []byte) (n int, first string) {
	for word := range strings.FieldsFuncSeq(unescaped(raw[:min(len(raw), maxScanned)]), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !disguised(word) {
			continue
		}
		if n++; n == 1 {
			first = Quote(word)
		}
	}
	return n, first
}

// shortDisguise is the number of letters below which a word is not disguised: "μm" is not.
const shortDisguise = 3

func disguised(word string) bool {
	letters, plain, alike, styled := 0, 0, 0, 0
	for _, r := range word {
		letters++
		switch {
		case r < utf8.RuneSelf:
			plain++
		case latin(r) != r:
			alike++
		case font(r):
			styled++
		}
	}
	return letters >= shortDisguise && (plain > 0 && alike > 0 || styled >= shortDisguise)
}

// font reports whether a letter is an ASCII one in another font. Wide capitals are not meant,
// because they are usual in Japanese.
func font(r rune) bool {
	const wideA, wideZ = 'Ａ', 'Ｚ'
	plain := norm.NFKC.String(string(r))
	return len(plain) == 1 && plain[0] != ' ' && (r < wideA || r > wideZ)
}

// latin returns the Latin letter that a letter of another alphabet looks like.
func latin(r rune) rune {
	const others, alike = "аеорсухіјѕһԁӏԛԝАВЕКМНОРСТУХІЈЅαορικνυτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijshdlqwABEKMHOPCTYXIJSaopikvutABEZHIKMNOPTYX"
	i := strings.IndexRune(others, r)
	if i < 0 {
		return r
	}
	return rune(alike[utf8.RuneCountInString(others[:i])])
}

// unescaped undoes the escapes of JSON and removes hidden characters.
func unescaped(raw []byte) string {
	text := string(raw)
	if strings.Contains(text, `\`) {
		text = escapes.ReplaceAllStringFunc(text, func(e string) string {
			var s string
			if json.Unmarshal([]byte(`"`+e+`"`), &s) != nil {
				return e
			}
			return s
		})
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, text)
}

var escapes = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|[bfnrt"\\/])`)
