package groundingtest

// languages has the languages of the dialogues.
var languages = []string{"en", "de", "fr", "es"}

var cities = map[string][]string{ // as people write them in each language
	"en": {"London", "Manchester", "New York", "San Francisco", "Boston", "Munich", "Cologne", "Vienna", "Lisbon", "Milan", "Geneva", "Oslo", "Seattle", "Austin", "Dublin", "Leeds"},
	"de": {"Hamburg", "München", "Köln", "Frankfurt am Main", "Wien", "Zürich", "Leipzig", "Düsseldorf", "Lissabon", "Mailand", "Genf", "Oslo", "Kopenhagen", "Bad Homburg", "Ulm", "Graz"},
	"fr": {"Paris", "Lyon", "Marseille", "Saint-Étienne", "Genève", "Bruxelles", "Munich", "Cologne", "Vienne", "Lisbonne", "Milan", "Nîmes", "Aix-en-Provence", "Oslo", "Lille", "Rennes"},
	"es": {"Madrid", "Sevilla", "San Sebastián", "Múnich", "Colonia", "Viena", "Lisboa", "Milán", "Ginebra", "A Coruña", "Bilbao", "Málaga", "Oslo", "Buenos Aires", "Lima", "Granada"},
}

// english has the names that an assistant uses for some of them.
var english = map[string]string{
	"München": "Munich", "Köln": "Cologne", "Wien": "Vienna", "Zürich": "Zurich", "Lissabon": "Lisbon", "Mailand": "Milan", "Genf": "Geneva",
	"Kopenhagen": "Copenhagen", "Genève": "Geneva", "Bruxelles": "Brussels", "Vienne": "Vienna", "Lisbonne": "Lisbon", "Sevilla": "Seville",
	"Múnich": "Munich", "Colonia": "Cologne", "Viena": "Vienna", "Lisboa": "Lisbon", "Milán": "Milan", "Ginebra": "Geneva",
}

var firstNames = []string{"Anna", "Jürgen", "Sofia", "Peter", "José", "Claire", "Michael", "Zoë", "Pablo", "Ingrid", "François", "Laura", "Tom", "Maren", "Lucía", "Hugo"}
var surnames = []string{"Schmidt", "Müller", "García", "Lefèvre", "O'Brien", "Martin", "Weiß", "Fernández", "Jones", "Dubois", "Keller", "Moreau", "Smith", "van Dyck", "Romero", "Hart"}
var organisations = []string{"Nordlicht Verlag", "Acme Corporation", "Maison Bertrand", "Talleres Ruiz", "Blue River Labs", "Hansen & Söhne", "Café Lumière", "Grupo Solar", "Kestrel Ltd", "Optik Weber", "Pixelworks", "Atelier Noir"}
var domains = []string{"example.com", "mail.example.org", "acme.example", "verlag.example.de", "example.fr", "correo.example.es"}

// forms.go composes the number words up to a hundred from these.
var small = map[string][]string{
	"en": {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"},
	"de": {"null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf", "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"},
	"fr": {"zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"},
	"es": {"cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve"},
}

var months = map[string][]string{
	"en": {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	"fr": {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	"es": {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
}

var weekdays = map[string][]string{ // starting with Sunday
	"en": {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
	"de": {"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
	"fr": {"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
	"es": {"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
}

// choice is an option: its name in a program, and the words that people use.
type choice struct {
	value string
	said  map[string][]string
}

var choices = [][]choice{
	{
		{"economy", map[string][]string{"en": {"economy class", "economy"}, "de": {"Economy"}, "fr": {"la classe économique"}, "es": {"clase turista"}}},
		{"business", map[string][]string{"en": {"business class"}, "de": {"Business-Klasse"}, "fr": {"la classe affaires"}, "es": {"business"}}},
		{"first", map[string][]string{"en": {"first class"}, "de": {"erste Klasse"}, "fr": {"la première classe"}, "es": {"primera clase"}}},
	},
	{
		{"credit_card", map[string][]string{"en": {"to pay by credit card"}, "de": {"Zahlung per Kreditkarte"}, "fr": {"payer par carte de crédit"}, "es": {"pagar con tarjeta de crédito"}}},
		{"bank_transfer", map[string][]string{"en": {"a bank transfer"}, "de": {"eine Überweisung"}, "fr": {"un virement"}, "es": {"una transferencia"}}},
		{"cash", map[string][]string{"en": {"to pay in cash"}, "de": {"Barzahlung"}, "fr": {"payer en espèces"}, "es": {"pagar en efectivo"}}},
	},
	{
		{"PDF", map[string][]string{"en": {"a pdf"}, "de": {"ein PDF"}, "fr": {"un pdf"}, "es": {"un PDF"}}},
		{"CSV", map[string][]string{"en": {"csv"}, "de": {"CSV-Format"}, "fr": {"du CSV"}, "es": {"csv"}}},
		{"Excel", map[string][]string{"en": {"an Excel sheet"}, "de": {"eine Excel-Datei"}, "fr": {"un fichier Excel"}, "es": {"una hoja de Excel"}}},
	},
	{
		{"weekly", map[string][]string{"en": {"it every week", "a weekly one"}, "de": {"es wöchentlich"}, "fr": {"un rythme hebdomadaire"}, "es": {"algo semanal"}}},
		{"monthly", map[string][]string{"en": {"it monthly"}, "de": {"es jeden Monat"}, "fr": {"ça chaque mois"}, "es": {"algo mensual"}}},
		{"daily", map[string][]string{"en": {"it daily"}, "de": {"es täglich"}, "fr": {"ça tous les jours"}, "es": {"algo diario"}}},
	},
	{
		{"doubleRoom", map[string][]string{"en": {"a double room"}, "de": {"ein Doppelzimmer"}, "fr": {"une chambre double"}, "es": {"una habitación doble"}}},
		{"singleRoom", map[string][]string{"en": {"a single room"}, "de": {"ein Einzelzimmer"}, "fr": {"une chambre simple"}, "es": {"una habitación individual"}}},
		{"suite", map[string][]string{"en": {"a suite"}, "de": {"eine Suite"}, "fr": {"une suite"}, "es": {"una suite"}}},
	},
	{
		{"red", map[string][]string{"en": {"the red one"}, "de": {"das rote"}, "fr": {"le rouge"}, "es": {"el rojo"}}},
		{"blue", map[string][]string{"en": {"the blue one"}, "de": {"das in Blau"}, "fr": {"le bleu"}, "es": {"el azul"}}},
		{"black", map[string][]string{"en": {"it in black"}, "de": {"es in Schwarz"}, "fr": {"du noir"}, "es": {"el negro"}}},
		{"green", map[string][]string{"en": {"green"}, "de": {"grün"}, "fr": {"du vert"}, "es": {"el verde"}}},
	},
}
