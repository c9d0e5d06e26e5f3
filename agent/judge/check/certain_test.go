package check_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// of makes a demand on a value of a result. The task has a text or texts.
func of(t *testing.T, in any, demanded, v string) (string, error) {
	t.Helper()
	raw, err := json.Marshal([]any{in})
	if err != nil {
		t.Fatal(err)
	}
	return madeOf(t, string(raw), `{"path":"/v",`+demanded+`}`, `{"v":`+v+`}`, "")
}

// TestCertain: results of honest workers that demands refused, and lies that passed. A reviewer
// wrote them. What code cannot tell for certain, it leaves to others.
func TestCertain(t *testing.T) {
	js := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	q := func(text string) string { return js(text) }
	grounds := func(what string) string { return `"grounded":{"in":["/input_data/0"],"what":["` + what + `"]}` }
	num, nam, quo := grounds("numbers"), grounds("names"), grounds("quotes")
	tr := func(to string) string { return `"translation":{"of":"/input_data/0","to":"` + to + `"}` }
	const anyhow = `"translation":{"of":"/input_data/0"}`
	seg := []string{"The owl sits in the tree and it does not move at all.", "We went to the shop and bought some bread for the week.", "It was late when they came home from the long walk.", "You can see the sea from the top of the hill behind us.", "All of the boats are in the harbour because of the storm."}
	for _, c := range []struct {
		name        string
		in          any
		demanded, v string
		want        string
	}{
		{"num: p < .05", "The effect is small (p < .05, n = 120).", num, q("With 120 people, p was below 0.05."), met},
		{"num: footnote", "Revenue grew to 450 million.", num, q("Revenue grew to 450¹ million."), unknown},
		{"num: footnote in source", "Revenue grew to 450¹ million.", num, q("Revenue grew to 450 million."), met},
		{"num: lie at line start", "The total is 120 of 300.", num, q("Of 300, the total is\n987. That is all."), unknown},
		{"num: list of small and 200", "five cats weigh 200 g", num, q("cats: 5\n200 g in all"), unknown},
		{"num: sign", "a profit of 40 million", num, q("a profit of -40 million"), unknown},
		{"num: numbers beyond words", "a profit of 40 million", num, q("a profit of 40 million and a loss of ninety-nine billion"), unknown},
		{"num: tsv", "five cats weigh 237 g", num, q("cats\t5\t237"), unknown},
		{"names: Executive Summary", "Revenue of Acme rose. The plan by Maria Sousa holds.", nam, q("# Executive Summary\nAcme did well. We thank Maria Sousa."), unknown},
		{"names: German nouns", "Maria Sousa aus Lissabon kaufte drei Boote und segelte los.", nam, q("Eine Frau, Maria Sousa aus Lissabon, hat mehrere Schiffe erworben und ist aufgebrochen."), unknown},
		{"names: Monday", "On 2026-03-02 Maria Sousa left.", nam, q("On a day in March, Maria Sousa left."), unknown},
		{"names: lie lowercased elsewhere", "The treaty was signed by Maria Sousa.", nam, q("It was signed by Napoleon Bonaparte and Maria Sousa. (napoleon bonaparte)"), unknown},
		{"names: lie at sentence start", "The treaty was signed by Maria Sousa.", nam, q("Napoleon signed. So did Maria Sousa."), unknown},
		{"names: title line lie", "The treaty was signed by Maria Sousa.", nam, q("Napoleon Bonaparte Killed Caesar\nIt was Maria Sousa."), unknown},
		{"quotes: inches", "The 27\" and the 32\" monitor are on sale. He said \"buy it right now\".", quo, q("He said \"buy it right now\". We sell the 32\" monitor and also the 27\" one."), unknown},
		{"quotes: single letters", strings.Repeat("The quick brown fox jumps over the lazy dog and so on. ", 3), quo, q("He said “f…r…a…u…d is good”."), unknown},
		{"quotes: lie in single quotes", "She said: “We will sail to the Azores.”", quo, q("She said “We will sail to the Azores” and ‘I stole all the money of the firm’ too."), unknown},
		{"tr: 1990s", "Music in the 1990s was loud and it was fun for all of us who were there at that time.", tr("de"), q("Die Musik war in den 90er Jahren laut, und sie war ein Spaß für alle von uns, die zu der Zeit dabei waren."), unknown},
		{"tr: 21st century", "In the 21st century we will see that it is not so, and all of us are in it.", tr("fr"), q("Au XXIe siècle, nous verrons que ce n'est pas le cas, et que nous sommes tous dans le même bateau avec les autres."), unknown},
		{"tr: 24/7", "We are open 24/7 and you can call us at any time for all that you need from us.", tr("de"), q("Wir sind rund um die Uhr für Sie da, und Sie können uns zu jeder Zeit anrufen, wenn Sie etwas von uns brauchen."), unknown},
		{"tr: 1,000 people", "More than 1,000 people were there and they said that it was not what they had in mind.", tr("es"), q("Más de mil personas estaban allí y dijeron que no era lo que ellas tenían en la mente para ese día con los otros."), unknown},
		{"tr: persian digits", "In 2024 we had 35 shops.", `"translation":{"of":"/input_data/0"}`, q("در سال ۲۰۲۴ ما ۳۵ فروشگاه داشتیم"), met},
		{"tr: arabic digits", "In 2024 we had 35 shops.", tr("ar"), q("في عام ٢٠٢٤ كان لدينا ٣٥ متجرا"), unknown},
		{"tr: chinese numerals", "There are 25 students in the class.", tr("zh"), q("这个班级里一共有二十五名学生，他们每天都在这里认真学习语文和数学课程。"), unknown},
		{"tr: positional placeholder", "%s sent you %s.", `"translation":{"of":"/input_data/0"}`, q("%2$s wurde Ihnen von %1$s gesendet."), met},
		{"tr: <your name>", "Dear <your name>, welcome.", `"translation":{"of":"/input_data/0"}`, q("Liebe(r) <Ihr Name>, willkommen."), unknown},
		{"tr: 2 of 5 segments left in English", seg, tr("de"), js([]string{"Die Eule sitzt in dem Baum, und sie bewegt sich nicht, weil es noch nicht dunkel ist.", "Wir sind zu dem Laden gegangen und haben für die Woche noch ein Brot und die Milch für uns gekauft.", "Es war schon spät, als sie von dem langen Weg nach Hause kamen, und sie waren nicht mehr bei uns.", seg[3], seg[4]}), "it is a copy of the text"},
		{"tr: copy plus a dot, no to", seg, `"translation":{"of":"/input_data/0"}`, js(append([]string{seg[0] + "."}, seg[1:]...)), "it is a copy of the text"},
		{"parses json: 0", "", `"parses":"json"`, q("0"), met},
		{"parses go: package x", "", `"parses":"go"`, q("package x"), met},
		{"sorted: numbers as texts", "", `"sorted":{}`, `["9","10","100"]`, unknown},
		{"not_contains across fields", "", `"not_contains":["New York"]`, `{"a":"All is New","b":"York is old"}`, met},
		{"url with |", "", `"url":{}`, q("https://fonts.example.com/css?family=Roboto|Open+Sans"), unknown},
		{"url: https://a", "", `"url":{}`, q("https://a"), met},
		{"labels that are the same in German", []string{"OK", "E-Mail", "Online", "Software", "Server", "Router", "Modem", "Firewall", "Status"}, tr("de"), js([]string{"OK", "E-Mail", "Online", "Software", "Server", "Router", "Modem", "Firewall", "Status"}), unknown},
		{"9:45", "The train leaves at 9:45.", anyhow, q("Der Zug fährt um 9.45 Uhr."), unknown},
		{"2024/25 season", "The 2024/25 season was long.", anyhow, q("La temporada 2024-2025 fue larga."), unknown},
		{".75 inch", "A pipe of .75 inch.", anyhow, q("Ein Rohr von 0,75 Zoll."), met},
		{"45 miles", "It is 45 miles away.", anyhow, q("Es ist 72 km entfernt."), unknown},
		{"a 25-year-old", "A 25-year-old man.", anyhow, q("Ein fünfundzwanzigjähriger Mann."), unknown},
		{"25% -> a quarter", "About 25% of us.", anyhow, q("Etwa ein Viertel von uns."), unknown},
		{"Thai year", "It opened in 2024.", anyhow, q("เปิดให้บริการในปี พ.ศ. ๒๕๖๗"), unknown},
		{"Hindi digits", "It opened in 2024.", anyhow, q("यह २०२४ में खुला।"), met},
		{"Japanese 25", "25 people came.", anyhow, q("二十五人が来ました。"), unknown},
		{"phone", "Call 555-0123.", anyhow, q("Rufen Sie 555-0123 an."), met},
		{"Bengali/Hindi lakh", "100,000 people", anyhow, q("एक लाख लोग"), unknown},
		{"a wrong number hidden as another one", "Pay 12 on day 3.", anyhow, q("Zahlen Sie 3 am Tag 12."), unknown},
		{"a number changed, small", "Take 2 pills.", anyhow, q("Nehmen Sie 20 Pillen."), unknown},
		{"num It rose by 3 to 7 points. -> It rose by 3–7 po", "It rose by 3 to 7 points.", num, q("It rose by 3–7 points (4 in all)."), unknown},
		{"num Sales: 12.5m -> Sales: 12.5m²", "Sales: 12.5m", num, q("Sales: 12.5m²"), unknown},
		{"num Area 450 m2 -> Area: 450 m²", "Area 450 m2", num, q("Area: 450 m²"), met},
		{"num between 1990 and 1995 -> between 1990 and ’95", "between 1990 and 1995", num, q("between 1990 and ’95"), unknown},
		{"num seventy-five people -> 75 people", "seventy-five people", num, q("75 people"), unknown},
		{"num one hundred and fifty people -> 150 people", "one hundred and fifty people", num, q("150 people"), unknown},
		{"num half of 300 -> 300; ½ of it", "half of 300", num, q("300; ½ of it"), unknown},
		{"num two thousand -> 2000", "two thousand", num, q("2000"), unknown},
		{"num In the nineties 30 came -> In the 1990s 30 cam", "In the nineties 30 came", num, q("In the 1990s 30 came"), unknown},
		{"num 3.14159 -> 3.14", "3.14159", num, q("3.14"), unknown},
		{"num 20 000 Euro -> 20000 Euro", "20 000 Euro", num, q("20000 Euro"), met},
		{"num 1.5 million -> 1,500,000", "1.5 million", num, q("1,500,000"), unknown},
		{"num 5 feet -> 5'", "5 feet", num, q("5'"), met},
		{"num the 2nd of May 2026, 14 h -> 2 May 2026 at 2 p", "the 2nd of May 2026, 14 h", num, q("2 May 2026 at 2 pm"), met},
		{"name The owner is maria sousa of lisbon. -> The ow", "The owner is maria sousa of lisbon.", nam, q("The owner is Maria Sousa of Lisbon."), met},
		{"name Maria Sousa left. The company is Acme. -> Mai", "Maria Sousa left. The company is Acme.", nam, q("Main Points\n- Maria Sousa left.\n- The firm is Acme."), unknown},
		{"name Maria Sousa works at Acme. -> According to th", "Maria Sousa works at Acme.", nam, q("According to the text, Maria Sousa works at Acme. See the Table below."), unknown},
		{"name Maria Sousa works in Germany. -> Maria Sousa ", "Maria Sousa works in Germany.", nam, q("Maria Sousa works at a German firm."), unknown},
		{"name MARIA SOUSA of Köln -> The owner is Maria Sou", "MARIA SOUSA of Köln", nam, q("The owner is Maria Sousa of Koeln."), unknown},
		{"name M. Sousa met Пётр Чайковский. -> M. Sousa met", "M. Sousa met Пётр Чайковский.", nam, q("M. Sousa met Pyotr Tchaikovsky."), unknown},
		{"name The firm is in the United States. -> The firm", "The firm is in the United States.", nam, q("The firm is American."), unknown},
		{"name Maria Sousa wrote it. -> Question: who wrote ", "Maria Sousa wrote it.", nam, q("Question: who wrote it? Answer: Maria Sousa."), unknown},
		{"name Maria Sousa wrote it. -> Q1 Author | Maria So", "Maria Sousa wrote it.", nam, q("Q1 Author | Maria Sousa"), unknown},
	} {
		found, err := of(t, c.in, c.demanded, c.v)
		say(t, c.name, c.want, found, err)
	}
}

// TestNeighbours: texts in languages that are near to one that a task can demand, and mixed ones.
// The reviewer wrote them, too. None is met.
func TestNeighbours(t *testing.T) {
	for _, c := range []struct{ name, demanded, text, want string }{
		{"Malay as Indonesian", "id", "Kerajaan akan mengumumkan bantuan itu pada hari ini dan ia adalah untuk semua rakyat yang tinggal di negara ini. Mereka boleh memohon dengan pergi ke pejabat pos atau melalui telefon, dan wang itu akan dibayar dalam masa dua minggu kepada orang yang layak sahaja.", unknown},
		{"Afrikaans as Dutch", "nl", "Die man het gister na die winkel gegaan en hy het brood en melk gekoop. Dit is nie ver van die huis nie, maar dit was baie koud en hy wou nie te lank in die straat bly nie. Toe hy by die huis kom, was sy vrou al daar met die kinders.", unknown},
		{"Slovak as Czech", "cs", "Dnes ráno som sa zobudil a zistil som, že vonku je veľmi zima. Preto som si vzal kabát a išiel som do práce na autobus. V práci bolo veľa ľudí, ktorí mali rovnaký problém ako ja, a tak sme si spolu dali čaj a hovorili sme o tom, čo budeme robiť po práci.", unknown},
		{"Galician as Portuguese", "pt", "O goberno de Galicia anunciou que a lei non será aprobada ata o ano que vén, porque os grupos non se puxeron de acordo. A xente da cidade di que é unha mágoa, e que por iso haberá que esperar para ver como se pode facer mellor o traballo das escolas e dos hospitais.", unknown},
		{"Galician as Spanish", "es", "O goberno de Galicia anunciou que a lei non será aprobada ata o ano que vén, porque os grupos non se puxeron de acordo. A xente da cidade di que é unha mágoa, e que por iso haberá que esperar para ver como se pode facer mellor o traballo das escolas e dos hospitais.", unknown},
		{"Catalan as Spanish", "es", "El govern de la Generalitat ha dit que la llei no serà aprovada fins a l'any que ve, perquè els grups no es van posar d'acord. La gent de la ciutat diu que és una llàstima i que per això caldrà esperar per veure com es pot fer millor la feina de les escoles i dels hospitals.", unknown},
		{"Asturian as Spanish", "es", "El gobiernu d'Asturies dixo que la llei nun va ser aprobada hasta l'añu que vien, porque los grupos nun se punxeron d'alcuerdu. La xente de la ciudá diz que ye una mágoa y que por eso va haber qu'esperar pa ver cómo se pue facer meyor el trabayu de les escueles y de los hospitales.", unknown},
		{"Nynorsk as Bokmål", "nb", "Regjeringa sa i dag at lova ikkje blir vedteken før neste år, fordi partia ikkje vart samde. Folk i byen seier at det er synd, og at ein difor må vente for å sjå korleis ein kan gjere arbeidet på skulane og sjukehusa betre. Eg trur at dei fleste av oss vil vere med på det.", unknown},
		{"Nynorsk as Danish", "da", "Regjeringa sa i dag at lova ikkje blir vedteken før neste år, fordi partia ikkje vart samde. Folk i byen seier at det er synd, og at ein difor må vente for å sjå korleis ein kan gjere arbeidet på skulane og sjukehusa betre. Eg trur at dei fleste av oss vil vere med på det.", unknown},
		{"Macedonian as Bulgarian", "bg", "Владата денес соопшти дека законот нема да биде усвоен до следната година, бидејќи партиите не се договорија. Луѓето во градот велат дека тоа е штета и дека поради тоа ќе треба да се чека за да се види како може да се подобри работата на училиштата и на болниците.", unknown},
		{"Belarusian as Ukrainian", "uk", "Урад сёння паведаміў, што закон не будзе прыняты да наступнага года, бо партыі не дамовіліся паміж сабой. Людзі ў горадзе кажуць, што гэта шкада, і што таму трэба будзе чакаць, каб убачыць, як можна палепшыць працу школ і бальніц. Але я думаю, што яны не маюць рацыі, і што ўсё будзе добра.", unknown},
		{"Belarusian as Russian", "ru", "Урад сёння паведаміў, што закон не будзе прыняты да наступнага года, бо партыі не дамовіліся паміж сабой. Людзі ў горадзе кажуць, што гэта шкада, і што таму трэба будзе чакаць, каб убачыць, як можна палепшыць працу школ і бальніц. Але я думаю, што яны не маюць рацыі, і што ўсё будзе добра.", unknown},
		{"Urdu as Persian", "fa", "حکومت نے آج کہا ہے کہ یہ قانون اگلے سال تک منظور نہیں ہو گا کیونکہ جماعتوں کے درمیان اتفاق نہیں ہو سکا۔ شہر کے لوگ کہتے ہیں کہ یہ افسوس کی بات ہے اور اس لیے انتظار کرنا ہو گا کہ اسکولوں اور ہسپتالوں کا کام کس طرح بہتر کیا جا سکتا ہے۔", unknown},
		{"Marathi as Hindi", "hi", "सरकारने आज सांगितले की हा कायदा पुढील वर्षापर्यंत मंजूर होणार नाही कारण पक्षांमध्ये एकमत झाले नाही. शहरातील लोक म्हणतात की ही खेदाची गोष्ट आहे आणि म्हणून शाळा व रुग्णालयांचे काम कसे सुधारता येईल हे पाहण्यासाठी वाट पहावी लागेल.", unknown},
		{"Nepali as Hindi", "hi", "सरकारले आज यो कानुन अर्को वर्षसम्म पारित नहुने बताएको छ किनभने दलहरूबीच सहमति हुन सकेन। सहरका मानिसहरू यो दुःखको कुरा हो भन्छन् र त्यसैले विद्यालय र अस्पतालको काम कसरी राम्रो बनाउन सकिन्छ भनेर हेर्न पर्खनुपर्ने हुन्छ।", unknown},
		{"Yiddish as Hebrew", "he", "די רעגירונג האט היינט געזאגט אז דאס געזעץ וועט נישט ווערן אנגענומען ביזן קומענדיקן יאר, ווייל די פארטייען האבן זיך נישט געקענט אויסגלייכן. די מענטשן אין שטאט זאגן אז דאס איז א שאד.", unknown},
		{"Scots as English", "en", "The Scots leid is a Germanic leid that is spoken in the Lawlands o Scotland an in pairts o Ulster, whaur it is cried Ullans. It haes been in uise sin the Middle Ages, an the fowk that speak it in their hames are prood o it, but it wis no taught in the schuils.", unknown},
		{"Cantonese as zh", "zh", "佢哋話今日唔使返工，因為落緊大雨，所以我哋就喺屋企睇電視同埋食飯，聽日先至再去學校，你話係咪好開心呀？我覺得都幾好，不過媽媽就唔係咁諗。", unknown},
		{"Korean in romaja", "ko", "annyeonghaseyo jeoneun hakgyoe gamnida geurigo jibeseo bap meogeoyo uri gajogeun modu haengbokhamnida", unknown},
		{"half English half German", "de", "The owl sits in the tree and it does not move at all. We went to the shop and bought some bread for the week. Die Eule sitzt in dem Baum, und sie bewegt sich nicht, weil es noch nicht dunkel ist. Wir sind zu dem Laden gegangen und haben für die Woche noch ein Brot und die Milch für uns gekauft, und es war nicht weit von dem Haus bis zu ihm.", unknown},
		{"word salad", "de", "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass", unknown},
		{"mostly foreign names", "en", "Books of the collection: Los detectives salvajes, La casa de los espíritus, El amor en los tiempos del cólera, Cien años de soledad, La ciudad y los perros, Pedro Páramo, El señor de los anillos, La sombra del viento. All of these are for sale.", unknown},
		{"one in eight German, rest nonsense", "de", "xqwz blorp grunx und flimp snarg der worp blix gnorf quam die zorp frelt kwim nacht borg ist plim sorg wexx fom nicht gurk blom ein tarp sisk vorn grum das plok werd mit fulk", unknown},
	} {
		say(t, c.name, c.want, "it", inLanguage(c.text, c.demanded))
	}
}
