package check

// commonWords are the commonest words of languages that share a script: those that stand in nearly
// every sentence. A word may be common in several.
func commonWords() map[string]string {
	return map[string]string{
		"en": "the of and to in a is that it for on was with as be by are this from at or which not have an has but were their they his her we you will can its been more who would about when what there than if other all into one may our your do does",
		"de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein ihr wenn wir ich was",
		"fr": "de la le et les des en un du une que est pour qui dans par plus pas au sur ne se ce il sont la avec son aux d l qu n s c à cette ou ont été leur être mais comme nous vous ses elle était sans très même aussi fait où si tout ces on",
		"es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni",
		"it": "di e il la che in a per un è del non sono una con da le si dei al della i come nel alla più ma lo gli anche su ha delle ai o se era questo questa sul dal degli nella cui ed loro suo sua essere tra stato dalla quando molto ci chi due",
		"pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse são foram pode você às",
		"nl": "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit nog naar door over hij ze was wordt worden tot deze die heeft hebben had of meer geen al kan veel zich onder ik je wij dit zo wat hun moet na werd",
		"sv": "och att det i en som på är av för med till den inte om ett har de jag var vi så men sig från eller kan när ska hade han man nu också efter vid skulle mycket mer än bara hon denna där över alla blir blev mot sin år utan finns under vara",
		"da": "og i at det er en til af den på for som med de ikke der har et han jeg var vi om så men sig fra eller kan når skal havde man nu også efter ved blev hun meget mere end kun denne hvor over alle bliver mod sin uden under være efter dette hvad noget",
		"nb": "og i å det er en til av den på for som med de ikke har et han jeg var vi om så men seg fra eller kan når skal hadde man nå også etter ved ble hun mye mer enn bare denne hvor over alle blir mot sin uten under være dette hva noe",
		"fi": "ja on ei se että oli hän mutta ovat kun niin myös joka kuin jos mukaan sen olla tai sekä voi hänen ne jo ole vain nyt sitä mitä tämä kanssa jotka ollut siitä vielä siinä tässä he minä me tämän joita jossa kaikki näin niitä joiden olisi eivät voidaan",
		"pl": "i w na z do się nie że jest to o a jak po od co za przez przy dla są tym jego ale jako który tego by lub oraz być tylko był było już może jej która ich czy także które ma było pod bardzo kiedy jeszcze wszystko tak gdy więc przed między została został",
		"cs": "a se v na je že s z do o to i ve za jako by k pro jsou po ale byl jeho od které který podle jsem také však nebo si jen už ze při být která aby tak má může bylo není až pak než mezi před jejich tím této tento jak když bude byla byly své",
		"ro": "de și în a la cu pe care nu o din să un că mai au este se pentru o prin lui sau ca sunt fi ce dar între după fost acest această al ale lor său sa era le îi dintre foarte când până doar fără fiind decât ei ea el fie unui unei iar",
		"hu": "a az és hogy nem is egy ez van volt meg csak már de még mint el ha azt vagy kell ki be ezt aki ami több lehet után fel amely mert minden azonban pedig most sem úgy így között majd által lesz volna ezek nagyon szerint illetve olyan",
		"tr": "ve bir bu da de için ile olarak çok daha olan gibi en kadar o ne sonra var ise ama değil her onun ya ki olduğu göre tarafından oldu olduğunu üzerinde ilk bunu şu ben biz ancak kendi yok hem diye nasıl bütün şekilde olması etmek",
		"id": "yang dan di dengan untuk dari pada ini itu dalam adalah tidak akan ke oleh sebagai juga atau karena ada telah dapat tersebut bisa mereka ia saya kami kita sudah lebih banyak para bahwa antara seperti hanya harus saat namun secara menjadi hingga tetapi setelah orang anda",
		"ru": "и в не на с что я он как это по но из у к за то а его от так о же для все она бы мы до только или ее уже их был при быть если была чтобы когда еще который было где мне может они нет можно даже есть под после вы также этого которые может были этот со без",
		"uk": "і в не на що з у та до як за це від він про його а є для але також по й які було або все її вже так був при щоб під має ми бути вони коли який яка яке після тільки може ще були була цього через із цей без якщо між час де навіть більше ж лише",
		"bg": "и на в да за не се с от е са че по като до или но при си към след които който те той това беше може има все тази този със през така само бе няма още ще много му тя ги я много както чрез около която което ни защото ако без към между преди под",
		"ar": "في من على أن إلى التي عن مع هذا ما لا أو هذه كان الذي ذلك كما قد بعد كل لم بين هو هي عند إن وفي وقد قبل غير حيث ثم حتى كانت منذ أي خلال لكن إذا وهو ومن يكون وهي أنه الذين وكان يمكن تم",
		"fa": "و در به از که این را با است برای آن یک خود تا بر کرد هم نیز بود شد دارد می های شده اند باید هر اما یا باشد ما او آنها کند ها همه بین اگر پس نمی دو پیش بعد شود دیگر بسیار چه من",
		"hi": "के में की है और को से का कि पर यह ने हैं एक भी नहीं ही इस लिए तो कर था वह हो जो गया या साथ कुछ अपने रहे थे तक रहा बाद किया उन इसके जब थी उनके करने हुए सकते बहुत होता जाता करते दिया अब यदि",
	}
}
