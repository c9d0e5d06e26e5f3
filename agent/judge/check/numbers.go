package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ojud/agent/judge/prose"
)

// number is a number as people write it, in a text of numeric.
var number = regexp.MustCompile(`[0-9]+(?:[.,'’][0-9]+)*`)

// spaced is a number with a space between thousands, or several numbers.
var spaced = regexp.MustCompile(`\b[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?\b`)

// enumeration is what may be the number of a point of a list.
var enumeration = regexp.MustCompile(`(?m)^[ \t]*(\p{Nd}{1,3})[.)](?:[ \t]|$)`)

// bare is a fraction without the 0 before its point.
var bare = regexp.MustCompile(`(^|[^0-9A-Za-z.])\.([0-9])`)

// negative is a number with a sign.
var negative = regexp.MustCompile(`(?:^|[\s(\[:;$€£])[-−]([0-9]+(?:[.,'’][0-9]+)*)`)

// numeric is the form of a text in which numbers are read: in normal form, with the digits of
// ASCII. What stands in another line or cell, or raised, belongs to another number.
func numeric(text string) string {
	text, _ = prose.Visible(text)
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteString(" ; ")
		case r > unicode.MaxASCII && unicode.Is(unicode.No, r) && unicode.IsDigit(rune(prose.Normal(string(r))[0])):
			b.WriteString(";" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	text = strings.Map(digit, prose.Normal(b.String()))
	if strings.Contains(text, ".") {
		text = bare.ReplaceAllString(text, "${1}0.${2}")
	}
	return text
}

// digit writes a digit of any script, and the marks in Arabic numbers, as ASCII.
func digit(r rune) rune {
	const decimal, thousands = '٫', '٬'
	switch {
	case r <= unicode.MaxASCII:
		return r
	case r == decimal:
		return '.'
	case r == thousands:
		return ','
	case !unicode.Is(unicode.Nd, r):
		return r
	}
	n := 0
	for before := r - 1; unicode.Is(unicode.Nd, before); before-- {
		n++ // the digits of a script stand together, from 0 on
	}
	return '0' + rune(n%10)
}

// numbersOf returns the numbers of a text, without those of its points: 1, 2, 3, in order.
func numbersOf(text string) []string {
	text, _ = prose.Visible(text)
	next := 1
	text = enumeration.ReplaceAllStringFunc(text, func(point string) string {
		n, err := strconv.Atoi(strings.Map(digit, strings.Trim(point, " \t.)")))
		if err != nil || n != next && n != 1 {
			return point
		}
		next = n + 1
		return " "
	})
	return numbersIn(numeric(text))
}

// numbersIn returns the numbers of a text in the form of numeric.
func numbersIn(text string) []string {
	return append(spaced.FindAllString(text, -1), number.FindAllString(spaced.ReplaceAllString(text, " "), -1)...)
}

// groups are the runs of digits of a number.
func groups(written string) []string {
	return strings.FieldsFunc(written, func(r rune) bool { return r < '0' || r > '9' })
}

// fields returns the numbers that a written one may consist of: those of a date, a version, or of a
// row. A number with one mark is one number, and so is one with thousands.
func fields(written string) []string {
	parts := groups(written)
	last := len(parts) - 1
	if strings.Contains(written, " ") {
		return parts
	}
	if last < 2 || grouped(parts) || grouped(parts[:last]) && written[strings.LastIndexAny(written, ".,'’")] != written[len(parts[0])] {
		return nil
	}
	return parts
}

// grouped reports whether groups of digits may be those of one whole number, as it is written in
// the West, in India or in China.
func grouped(parts []string) bool {
	sizes := func(inner, last int) bool {
		for i, p := range parts[1:] {
			if size := len(p); i < len(parts)-2 && size != inner || i == len(parts)-2 && size != last {
				return false
			}
		}
		return true
	}
	return len(parts) > 1 && (sizes(3, 3) || sizes(2, 3) || sizes(4, 4))
}

// readings are the values that a written number may have: 1,200 is a thousand and some, or one and
// a part.
func readings(written string) (out []string) {
	parts := groups(written)
	last := len(parts) - 1
	if last == 0 || grouped(parts) {
		out = append(out, value(strings.Join(parts, ""), ""))
	}
	if mark := strings.LastIndexAny(written, ".,"); last > 0 && mark == len(written)-len(parts[last])-1 {
		out = append(out, value(strings.Join(parts[:last], ""), parts[last]))
	}
	return append(out, strings.Join(parts, "|")) // as it stands
}

// value writes a number without zeros that say nothing.
func value(whole, fraction string) string {
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// numbers are those of a text, in which others are looked up.
type numbers struct {
	known  map[string]bool // readings
	joined map[string]bool // all digits of each, without marks
	signed map[string]bool // readings of those with a sign
	lower  string          // the text in small letters
	worded *bool           // whether it has words that may be numbers; nil: not looked yet
	scans  int             // how often joined was looked through
}

// numbered returns the numbers of texts in the form of numeric.
func numbered(texts ...string) *numbers {
	s := &numbers{known: map[string]bool{}, joined: map[string]bool{}, signed: map[string]bool{}, lower: strings.ToLower(strings.Join(texts, "\n"))}
	seen := map[string]bool{}
	for _, text := range texts {
		for _, n := range slices.Concat(number.FindAllString(text, -1), spaced.FindAllString(text, -1)) {
			if seen[n] {
				continue
			}
			seen[n] = true
			for _, r := range readings(n) {
				s.known[r] = true
			}
			for _, p := range fields(n) {
				s.known[value(p, "")] = true
			}
			if d := strings.TrimLeft(strings.Join(groups(n), ""), "0"); len(d) > 1 {
				s.joined[d] = true
			}
		}
		if strings.ContainsAny(text, "-−") {
			for _, m := range negative.FindAllStringSubmatch(text, -1) {
				for _, r := range readings(m[1]) {
					s.signed[r] = true
				}
			}
		}
	}
	return s
}

// find looks a number up. It is absent only if it is certain that it does not stand there in any
// form.
func (s *numbers) find(written string) answer {
	known := func(r string) bool { return s.known[r] }
	if slices.ContainsFunc(readings(written), known) {
		return yes
	}
	parts := fields(written)
	if len(parts) == 0 {
		return s.absent(written)
	}
	found := yes
	for _, p := range parts {
		if !known(value(p, "")) {
			found = min(found, s.absent(p))
		}
	}
	return found
}

const (
	fewDigits = 4  // a number with fewer is often written in words, or left to the reader
	maxScans  = 16 // of the numbers of a text
)

// absent reports whether a number that is not there in digits is certainly not there at all: it has
// four digits or more, and it is not there in other groups, rounded, or as a year of another
// calendar, and no word is there that may be a number.
func (s *numbers) absent(written string) answer {
	digits := strings.TrimLeft(strings.Join(groups(written), ""), "0")
	if len(digits) < fewDigits || s.joined[digits] || s.year(digits) || s.inWords() {
		return perhaps
	}
	if s.scans++; s.scans > maxScans {
		return perhaps
	}
	short := strings.TrimRight(digits, "0")
	for other := range s.joined {
		if rounded(short, strings.TrimRight(other, "0")) {
			return perhaps
		}
	}
	return no
}

// rounded reports whether one number has the first digits of the other, up to one in the last.
func rounded(a, b string) bool {
	const least = 2
	n := min(len(a), len(b))
	if n < least || a[:n-1] != b[:n-1] {
		return n >= least && (next(a[:n]) == b[:n] || next(b[:n]) == a[:n])
	}
	return max(a[n-1]-b[n-1], b[n-1]-a[n-1]) <= 1 || a[n-1] == b[n-1]
}

// next returns the number of so many digits after another one.
func next(digits string) string {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(n+1, 10)
}

// year reports whether a number may be a year that stands there with two digits, or by another
// calendar: the Buddhist, the Persian, the Islamic, that of Taiwan, or the Hebrew one.
func (s *numbers) year(digits string) bool {
	const size = 4
	n, err := strconv.Atoi(digits)
	if err != nil || len(digits) != size {
		return false
	}
	if s.known[value(digits[2:], "")] {
		return true
	}
	for _, apart := range []int{543, 621, 622, 578, 579, 580, 1911, 3760, 3761} {
		if s.known[strconv.Itoa(n+apart)] || s.known[strconv.Itoa(n-apart)] {
			return true
		}
	}
	return false
}

// inWords reports whether the text has words that may be numbers.
func (s *numbers) inWords() bool {
	if s.worded == nil {
		has := len(numeralsIn(s.lower)) > 0
		s.worded = &has
	}
	return *s.worded
}

// roman is a number in Roman digits.
var roman = regexp.MustCompile(`\b[mdclxvi]{4,}\b`)

// eastern is a number in Chinese, Japanese or Korean words, or a year of an era.
var eastern = regexp.MustCompile(`[〇○零一二三四五六七八九十百千万萬億亿兆]{2}|[일이삼사오육칠팔구][십백천만억]|令和|平成|昭和|大正|明治|民国|民國`)

// numeralsIn returns the words of a text in small letters that may be numbers, in any language.
func numeralsIn(lower string) (out []string) {
	for w := range strings.FieldsSeq(partsOfNumerals) {
		if strings.Contains(lower, w) {
			out = append(out, w)
		}
	}
	whole := map[string]bool{}
	for w := range strings.FieldsSeq(wholeNumerals) {
		whole[w] = true
	}
	for w := range strings.FieldsFuncSeq(lower, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) }) {
		if whole[w] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, form := range []*regexp.Regexp{roman, eastern} {
		if w := form.FindString(lower); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// partsOfNumerals are parts of words for numbers that stand in few other words. Those of thousands,
// hundreds and tens are enough: a number that is certainly absent has four digits.
const partsOfNumerals = `hundred thousand million milliard billion trillion dozen teen twent thirt fortie forty fift sixt sevent eighty eighti ninet
	hundert tausend zwanzig dreißig dreissig vierzig fünfzig fuenfzig sechzig siebzig achtzig neunzig zehn
	vingt trente quarante cinquante soixante
	veint treint cuarent cincuent sesent setent ochent novent millón millones
	vinte trinta quarent cinquent sessent oitent milhão milhões
	cinquant sessant settant ottant milioni
	honderd duizend twintig dertig veertig vijftig zestig zeventig tachtig negentig miljoen
	hundra hundre tusen tusind tjugo tretti fyrti femti sexti sjutti åtti nitti halvtreds tresinds halvfjerds firsinds halvfems seksti sytti miljon
	kymmen sataa tuhat
	tysi tysią dziesi dwadzie trzydzie czterdzie milion
	tisíc dvacet třicet čtyřicet desát
	douăzeci treizeci patruzeci cincizeci milioane
	kétezer háromezer négyezer tízezer százezer száz húsz harminc negyven ötven hatvan hetven nyolcvan kilencven
	yirmi altmış yetmiş seksen doksan milyon
	puluh
	тысяч тыся тисяч двадцат тридцат сорок десят девяност сотен двест триста четырест хиляд двайсет трийсет мілья милли мілі
	εκατό εκατο χίλι χιλι είκοσι τριάντα σαράντα πενήντα εξήντα
	ألف آلاف مئة مائة مليون هزار میلیون
	हज़ार हजार लाख करोड़ सौ
	אלפים אלף מאות מאה מיליון
	ร้อย พัน หมื่น แสน ล้าน`

// wholeNumerals are words for numbers that are parts of many others.
const wholeNumerals = `ten eleven twelve cent cents cien ciento cientos venti trenta quaranta mil mille mila sto ezer yüz bin kırk elli otuz
	sută sute mie mii sata ratus ribu belas juta сто صد الف lakh crore lac`

// smallNumerals are words for numbers of English, besides, that a text may name.
const smallNumerals = `two three four five six seven eight nine`

// unread returns a word of texts that may be a number and is not in the source's, if there is one.
func (s *numbers) unread(texts []string) string {
	lower := strings.ToLower(strings.Join(texts, "\n"))
	words := numeralsIn(lower)
	small := map[string]bool{}
	for w := range strings.FieldsSeq(smallNumerals) {
		small[w] = true
	}
	for w := range strings.FieldsFuncSeq(lower, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if small[w] {
			small[w] = false
			words = append(words, w)
		}
	}
	for _, w := range words {
		if !strings.Contains(s.lower, w) {
			return w
		}
	}
	return ""
}
