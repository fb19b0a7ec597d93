package secret

import "strings"

// class says what a word can be. A word may be several things at once, the more so
// as the languages share one table: which one a question is in need not be known.
type class uint64

const (
	// What is a secret by its name alone.
	password class = 1 << iota
	pin
	oneTime   // OTP, TAN
	checkCode // CVV
	identity  // SSN
	// What is one in company: an API key, a recovery code, the number of a card.
	code
	key
	token
	secretWord
	phrase
	phraseWords
	number
	digits
	details
	card
	plural

	// The company.
	ofCode   // verification, SMS
	ofKey    // API, private
	ofPhrase // seed, recovery
	ofSecret // client
	ofCard   // credit, Visa
	ofLogin  // login, access
	ofApp    // authenticator
	ofPerson // social security
	once     // one-time
	noCode   // postal, error
	noKey    // public, primary
	noCard   // business, graphics

	// The sentence around it.
	hand       // enter, tell, send
	need       // the same where it is I who need
	self       // I, we
	what       // what, which
	is         // is, lautet
	article    //
	indefinite // a, an
	your       //
	their      //
	prep       // of, for
	as         //
	that       // relative pronouns and what else begins a clause
	about      // how many, should, where: what follows is no secret, but something about it
	manage     // reset, rotate: what is done to a secret elsewhere
	polar      // is, does, have: begins a question for yes or no
	with       // reply with
	contracted // du, zum: a preposition with its article
	join       // and, or
	part       // one of, the value of
	glue       // what says nothing of the matter

	english
	other // any other language
)

// nouns are the words without which no text speaks of a secret.
const nouns = password | pin | oneTime | checkCode | identity | code | key | token | secretWord | phrase | phraseWords | number | digits | details

// lexicon has the words in lower case and without accents; ß is ss.
var lexicon = []struct {
	class class
	words string
}{
	{password | english, "password passphrase pasword passwrod passowrd passwrd pssword passcode pwd credentials"},
	{password | english | plural, "passwords passphrases passcodes"},
	{password | other, "passwort pasword passwot passwrot kennwort kenwort losungswort zugangsdaten anmeldedaten logindaten"},
	{password | other | prep, "passworts kennworts"}, // the genitive is a preposition of its own
	{password | other | plural, "passworter passwortern passwoerter passwoertern kennworter kennwortern kennwoerter"},
	{password | other, "mdp contrasena contrasenia contrasea passwd credenciales"},
	{password | other | plural, "contrasenas"},
	{pin, "pin"},
	{pin | other, "geheimzahl nip"},
	{oneTime, "otp totp mtan smstan pushtan chiptan phototan"},
	{checkCode, "cvv cvc cvv2 cvc2 cryptogramme prufziffer pruefziffer prufnummer kartenprufnummer kartenprufziffer"},
	{identity, "ssn"},

	{code, "code"},
	{code | plural, "codes"},
	{code | other, "kode codigo"},
	{code | other | plural, "codigos"},
	{key | english, "key apikey"},
	{key | english | plural, "keys apikeys"},
	{key | other, "schlussel schluessel cle clef clave llave"},
	{key | other | prep, "schlussels schluessels"},
	{key | other | plural, "cles clefs claves llaves"},
	{token, "token"},
	{token | plural, "tokens"},
	{token | other, "jeton"},
	{token | other | plural, "jetons"},
	{secretWord, "secret"},
	{secretWord | other, "secreto"},
	{phrase, "phrase mnemonic"},
	{phrase | other, "frase"},
	{phraseWords | english, "words"},
	{phraseWords | other, "worter woerter mots palabras"},
	{number | english, "number"},
	{number | other, "nummer numero zahl"},
	{digits | english, "digit digits"},
	{digits | other, "ziffern stellige stelligen vierstellige vierstelligen sechsstellige sechsstelligen chiffres digitos cifras"},
	{details | english, "details data information"},
	{details | plural | other, "identifiants"},
	{details | other, "daten coordonnees donnees datos informations"},
	{card | english, "card"},
	{card | other, "karte karten carte tarjeta"},
	{card | ofCard, "visa mastercard amex"},
	{card | ofCard | other, "kreditkarte kreditkarten bankkarte bankkarten girokarte girocard debitkarte"},

	{ofCode | english, "verification security authenticator authentication recovery backup confirmation unlock sms texted received sent shown phone"},
	{ofCode, "2fa mfa sms authenticator whatsapp"},
	{ofCode | other, "bestatigung bestaetigung verifizierung verifikation sicherheit authentifizierung wiederherstellung freischalt entsperr freigabe " +
		"bekommen erhalten geschickt gesendet zugeschickt handy geheim " +
		"securite authentification recuperation validation deverrouillage confidentiel secret recu telephone banque " +
		"verificacion seguridad autenticacion recuperacion confirmacion desbloqueo secreto recibido enviado enviamos mando movil banco"},
	{ofKey | english, "private secret ssh access encryption signing recovery personal bearer refresh authorization"},
	{ofKey, "api ssh bearer oauth aws github gitlab openai bot slack mfa 2fa"},
	{ofKey | other, "private privaten privater geheime geheimen geheimer geheim zugang zugriff wiederherstellung verschlusselung " +
		"prive privee secrete acces chiffrement recuperation connexion privada secreta acceso cifrado recuperacion cajero banco"},
	{ofPhrase, "seed recovery wiederherstellung semilla recuperation recuperacion secrete secreta mnemonic mnemonique mnemotecnica passe"},
	{ofSecret, "client app oauth webhook shared signing signature firma cliente"},
	{ofCard | english, "credit debit bank payment"},
	{ofCard | other, "bancaire bleue credit credito debito bancaria"},
	{ofLogin, "login"},
	{ofLogin | other, "zugang anmelde acces acceso connexion inicio"},
	{ofApp | ofCode, "authenticator authentification autenticacion autenticador mfa 2fa"},
	{ofPerson | english, "social"},
	{ofPerson | other, "sociale secu sozialversicherung"},
	{once, "onetime einmal unique solo"},
	{noCode, "postal error promo zip area country source dress qr bar barres barras status exit civil erreur"},
	{noKey, "public publique publica offentlichen offentlicher oeffentlichen primary primaire primaria foreign product"},
	{noCard, "business graphics library membership loyalty sim visite visita graphique grafica"},

	{hand | english, "enter type typing provide share send give tell paste submit supply copy read list show reveal input write including state fill drop forward reply respond answer insert add put dictate specify disclose spell repeat post upload attach choose pick hand pass relay confirm quote key"},
	{need | english, "need like"},
	{hand | other, "wahle wahlen gibst nennst schickst sagst bestatigen bestatige leite leiten weiterleiten gern gerne gib geben eingeben nenne nennen teile teilen mitteilen schick schicke schicken sende senden tippe tippen eintippen eintippst eintragen trage " +
		"fuge fuege einfugen einfuegen angeben verrate verraten verratst sag sage sagen nenn schreiben trag tragen fugen antworte antworten antworten schicken gebe mitzuteilen einzugeben anzugeben brauche brauchen brauchte benotige benoetige benotigen hinterlege hinterlegen ubermitteln zeig zeige schreib schreibe"},
	{hand | other, "saisir saisissez saisis tape entrer entrez donner donnez donne indiquer indiquez indique taper tapez tapant coller collez colle envoyer envoyez envoie " +
		"communiquer communiquez partager partagez partage fournir fournissez dire dites lire copier copiez montrez ecrivez renseignez transmettre transmettez transferez repondez listez liste filer file passer passe communique entre ecris dis lisez avoir colles notez precisez choisir choisissez voudrais composez recopiez ajoutez confirmez confirme"},
	{hand | part | other, "besoin"},
	{hand | other, "introduzca introduce introducir escriba escribe escribir escribiendo darme deme dime digame decirme dices indique indica indiqueme indicar indicame pega pegue pegar pegalo peguelo " +
		"enviar enviarme envia envie enviame envieme compartir comparta comparte facilitar facilitarme facilite necesito necesitamos teclea teclee leerme pon ponga copia copie proporcione proporciona proporcionar dar dame diga ingrese ingresa ingresar rellene rellena reenvie reenvia reenviame responda responde enumere enumera comunique comunica pasa pasas pase pasame manda mande mandame digite digita anote anota deje complete completa confirme suministre elija elige quisiera anada agregue marque copie dicte proporcioneme escribame introduzcalo"},

	{what | english, "what which"},
	{what | other, "welche welcher welches welchen welchem wie was quel quelle quels quelles cual cuales que"},
	{is | polar | english, "is are was were"},
	{is | english, "s say"},
	{is | polar | other, "ist sind est sont es son"},
	{is | other, "lautet lauten heisst"},
	{is | what | other, "lequel laquelle quoi"},
	{polar | glue | english, "do does did have has had"},
	{polar | glue | other, "hat haben hast habt wird werden wurde wurden avez as ai ha han has tiene tienes"},
	{article | english, "the this these those"},
	{article | indefinite | english, "a an"},
	{article | other, "der die das den dem le la les l el los las diese diesen dieses diesem cette ce ces esta este esa ese"},
	{article | indefinite | other, "ein eine einen einem un une una"},
	{your | english, "your"},
	{your | other, "dein deine deinen deinem deiner ihr ihre ihren ihrem ihrer euer eure ton ta tes votre vos tu tus su sus vuestra"},
	{your | prep | other, "deines ihres"},
	{their | english, "their his her users"},
	{their | other, "leur leurs"},
	{prep | english, "of for from to by at on about into in"},
	{prep | other, "zu fur fuer von aus bei in an auf per pour de d a dans sur par para por en sobre"},
	{prep | with, "with mit avec con"},
	{prep | contracted | other, "zum zur vom im des du au aux del al"},
	{as | english, "as"},
	{as | other, "als comme como"},
	{that | english, "that who whose if because so"},
	{that | other, "qui dont si weil ob damit"},
	{about | english, "how where why when should shall want describe explain forgot forget"},
	{about | other, "wieviel wieviele viele viel oft lange wo wer wem wann wenn warum soll sollen sollte mochten mochtest beschreibe erklare vergessen " +
		"combien comment frequence quand pourquoi faut doit doivent dois decrivez expliquez oublie " +
		"cuanto cuantos cuanta cuantas donde cuando quien debe deben debo hay describa explique olvidado"},
	{manage | english, "reset change changed rotate rotated renew renewed update store stored save keep check remember revoke delete generate create set hide lost lose protect expire expired test verify rename encrypt hash remove move call"},
	{manage | other, "zurucksetzen zuruckgesetzt andern geandert rotieren erneuern speichern gespeichert aufbewahren prufen merken widerrufen loschen erzeugen erstellen festlegen verloren abgelaufen " +
		"changer change reinitialiser reinitialisez renouveler stocke stocker conserver verifier revoquer supprimer generer creer definir perdu expire " +
		"cambiar cambie cambiado restablecer restablezca renovar guardar guarda guardado comprobar revocar borrar generar crear establecer perdido caducado"},
	{join | english, "and or"},
	{join | other, "und oder et ou y o"},
	{part, "one value contents einen einem eins un uno una valeur valor"},
	{self | glue, "i we ll ich wir j je nous yo"},

	{glue | english, "please me us you it its them my now here below just then again also can could would will be been must may might not no full whole " +
		"complete current new old there ve re exactly back right kindly login username user name two three four five six eight twelve sixteen"},
	{glue | other, "bitte mir mich uns du sie er es hier jetzt noch gerade doch freundlicherweise ein konnen kannst konnten wurdest muss mussen ganze " +
		"vollstandige aktuelle aktuelles dir ihnen weiter benutzername benutzer ab zwei drei vier sechs zwolf sechzehn"},
	{glue | other, "veuillez merci svp plait vous me m moi tu te elle il ici dessous ci pouvez pourriez peux pourrais auriez complet actuel identifiant utilisateur n visuel deux trois quatre six douze seize"},
	{glue | other, "favor nos usted lo aqui abajo ahora puede puedes podria podrias completo actual usuario nombre administrador lo la seria tan amable conmigo se dos tres cuatro seis doce dieciseis"},
}

// heads are the nouns that German joins others to, without a space: the last one
// says what the whole is, what stands before it of which kind.
var heads = strings.Fields("passwort passworts passworter kennwort kennworts code codes schlussel schluessel schlussels nummer daten worter token tokens phrase")

// words is the lexicon by word.
var words = func() map[string]class {
	m := make(map[string]class, 2048)
	for _, l := range lexicon {
		for w := range strings.FieldsSeq(l.words) {
			m[w] |= l.class
		}
	}
	return m
}()

// partOfName are words that may be part of a name: mot de passe, pass word; TAN.
var partOfName = []string{"passe", "word", "tan"}

// endings are the last three letters of all nouns, one bit each: few other words
// end so, and need not be looked up.
var endings = func() *[1 << 15 / 64]uint64 {
	ends := new([1 << 15 / 64]uint64)
	add := func(w string) {
		at := ending(w)
		ends[at/64] |= 1 << (at % 64)
	}
	for w, c := range words {
		if c&nouns != 0 {
			add(w)
		}
	}
	for _, w := range partOfName {
		add(w)
	}
	return ends
}()

// ending packs the last three letters of a word, in any case. No noun is shorter.
func ending(w string) uint16 {
	return uint16(w[len(w)-3]&31)<<10 | uint16(w[len(w)-2]&31)<<5 | uint16(w[len(w)-1]&31)
}
