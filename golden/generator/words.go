package generator

import (
	"fmt"
	"strings"
)

// The names that documents are made of. All are invented or common.
var (
	givenNames = strings.Fields(`Ada Bruno Carla Dimitri Elif Farid Greta Hana Ivo Jonas Katya Lena Marco Nadia Omar Petra Quentin Rosa
		Samir Tove Ulrich Vera Wim Xenia Yusuf Zoe Amara Benoit Chiara Dario Esra Finn Goran Helena Ines Jakub Kofi Linnea Mateo Noor Oskar
		Priya Rafael Sunniva Tariq Una Viktor Wanda Yara Zoran`)
	familyNames = strings.Fields(`Abel Bianchi Castro Dvorak Eriksen Fontaine Gruber Hale Ivanova Jensen Keller Lindqvist Moreau Novak Okafor
		Pereira Quist Rossi Santos Tanaka Ueda Vale Weber Xu Yilmaz Zeman Ahlberg Brandt Conti Demir Ekman Farkas Gomes Haddad Iversen
		Jovanovic Kaya Lopez Marek Nilsen Ortega Popescu Ruiz Schmidt Toth Urban Voss Wolf Young Ziegler`)
	firmStems = strings.Fields(`Harbour Kestrel Northlight Bluefin Cedar Meridian Copperfield Lantern Osprey Quarry Riverside Saltmarsh
		Tamarind Umbra Verdant Westgate Yarrow Zenith Alder Beacon Corvid Driftwood Ember Foxglove Granite Hollow Juniper Keystone Larch
		Mosaic Nimbus Orchard Pinnacle Redwood Sable Thistle Upland Vesper Willow Anchor`)
	firmEnds = []string{"Ltd", "GmbH", "Lda", "S.A.", "AB", "B.V.", "Oy", "Inc", "Supplies", "Logistics", "Partners", "Studio", "Works", "Trading"}
	goods    = []string{"rope 12 mm", "shackle", "label printer", "toner", "desk lamp", "router", "switch 8 ports", "cable 5 m", "monitor arm",
		"coffee beans 1 kg", "paper A4", "envelope C5", "whiteboard", "marker set", "battery pack", "keyboard", "webcam", "headset", "standing mat",
		"first aid kit", "fire blanket", "tape", "pallet wrap", "glove L", "safety vest", "ladder", "drill bit 6 mm", "wall plug", "paint 2 l", "brush"}
	categories = []string{"travel", "office", "freight", "software", "training", "repairs", "rent", "catering", "insurance", "postage"}
)

func (d *dice) person() string { return pick(d, givenNames...) + " " + pick(d, familyNames...) }

func (d *dice) firm() string { return pick(d, firmStems...) + " " + pick(d, firmEnds...) }

// people draws n different full names.
func (d *dice) people(n int) []string {
	first, last := some(d, givenNames, n), some(d, familyNames, n)
	for i := range first {
		first[i] += " " + last[i]
	}
	return first
}

// date is a day of the calendar of the documents, in which each month has 28 days at least.
type date struct{ year, month, day int }

func (d *dice) date() date { return date{d.from(2024, 2027), d.from(1, 12), d.from(1, monthDays)} }

// monthDays is how many days of a month the documents use. Every month has them.
const monthDays = 27

func (t date) String() string { return fmt.Sprintf("%04d-%02d-%02d", t.year, t.month, t.day) }

func (t date) number() int { return (t.year*12+t.month)*31 + t.day }

// cents writes an amount in units, such as 1203.40.
func cents(n int) string {
	if n < 0 {
		return "-" + cents(-n)
	}
	return fmt.Sprintf("%d.%02d", n/100, n%100)
}

// sentence begins with a capital letter and ends with a full stop. Text that begins with a name of
// a field or an id stays as it is.
func sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if !spelled(first) {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text + "."
}

// lines joins the lines of a document.
func lines(parts ...string) string { return strings.Join(parts, "\n") }
