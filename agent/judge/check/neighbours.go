package check

// neighbours are the commonest words of languages that no task can demand, and that have much in
// common with one that a task can. They compete with it, so that a text in one of them is none in
// the other.
func neighbours() map[string]string {
	return map[string]string{
		"af": "is nie het hy sy ons hulle jy julle wat vir van die en na om te deur oor baie gister ook daar toe wou kan kon sal met by dit aan word was n dat maar want waar hierdie daardie se",
		"sk": "sa a na je že som sme ste nie aj ako ale pre od do po pri tak ktorý ktorá ktoré ktorí čo bol bola bolo boli už iba len keď alebo preto si jeho jej ich tým toto ľudí bude budú mal veľmi",
		"jv": "ing lan sing iku karo kanggo wong saka ora kang utawa ana uga iki kuwi wis bisa padha jeung nu teu ka anu ti geus",
		"mk": "и на во да се од за со не е што ќе го ја ги кој која кои ова оваа овој беше може како или но ако сум сме дека тие таа тој по до при бидејќи затоа",
		"sr": "је су и у на да се од за није који која које као али што би ће сам смо или са овај ова ово био била",
		"be": "і ў у на не што з да як за па гэта гэты ён яна яны мы для пра ад але быў была былі будзе каб таму які якая якія ці ужо калі толькі яго іх",
		"sc": "the o an wis haes thay thair fowk whaur leid wi no ane sae mair auld frae thon ken dae gie nae uise cried in is that it but hames",
		"gl": "o a e de do da que non unha un os as no na por para con se ao é máis como xente foi pero polo pola iso facer ten seu súa",
		"ca": "el la els les i de del que en un una per és amb no se al dels com més aquest aquesta ha són fins perquè va van molt però o si on",
		"nn": "og i det er ein eit ikkje av til på for som med dei han ho eg frå vart blir vere skal kva korleis berre noko mykje sjå gjere kvar meir då",
		"lb": "an déi der dat de mat ass eng een op vun ze fir net sech ech hunn och wéi et si huet gëtt bei nach",
		"et": "ja on ei et see kui oma ka ning mis aga või kes selle seda tema oli olid nii siis veel pärast",
		"ur": "کے کی ہے میں اور کا کو سے یہ نے پر کہ ہیں بھی نہیں تھا ایک",
		"mr": "आहे आणि नाही या ही हा च्या ची चे होते केले असे करण्यात येईल म्हणून",
		"ne": "छ हो र को मा लाई गरेको भने पनि यो भएको छन् हुन्छ गर्न",
		"az": "və bir bu üçün ilə də ki olan çox onun daha isə o kimi sonra amma deyil var nə əgər",
	}
}

// strangeLetters are letters that a language does not have, and a neighbour has.
func strangeLetters(lang string) string {
	return map[string]string{
		"cs": "ľĺŕôä", "uk": "ыэёъў", "ru": "іїєґў", "bg": "ѓќѕљњџјыэё", "sv": "æø", "da": "äö", "nb": "äö", "hi": "ळ", "fa": "ٹڈڑےں", "ar": "پچژگٹڈڑےںکی", "tr": "əqxw",
		"zh": "嘅咗喺唔哋佢係冇嚟啲嗰咁", "he": "ײװױ", "pt": "ñ", "es": "ãõçàèìòùâêî", "it": "ñçãõ", "pl": "ěřůčšž", "fi": "õ", "en": "", "de": "ëé", "nl": "ôûî",
	}[lang]
}

// strangeWords are words that a language hardly has, and a neighbour has in nearly every paragraph:
// Malay beside Indonesian, Yiddish beside Hebrew.
func strangeWords(lang string) string {
	return map[string]string{
		"id": "ialah kerajaan pejabat wang sahaja kerana awak boleh daripada beliau esok kereta bahawa bilik mahu",
		"he": "די דער דאס און איז אין האט האבן נישט ניט פון צו אז מיט פאר אויף זיך מען עס איך ער זי זיי מיר וועט ווערן געווען ביז",
	}[lang]
}
