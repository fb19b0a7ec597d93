package grounding

// yeses has the words that are a plain yes alone, besides the words that do not change that.
var (
	yeses = wordSet(`yes yeah yea yep yup y sure ok okay right correct exactly perfect great fine absolutely definitely certainly confirmed agreed go sounds do
		ja jo jawohl jep klar gern gerne sicher genau richtig stimmt einverstanden passt natürlich perfekt super mach machen bestätigt
		oui ouais volontiers exact exactement parfait entendu certainement vas allez super
		sí si claro vale correcto exacto perfecto adelante hazlo confirmo confirmado`)
	besides = wordSet(`please thanks thank you it that s is this of course ahead good to me for works will all the
		bitte danke das so ist das mir sehr doch und es los ok
		s il te vous plaît stp svp merci d accord c est ça bien sûr y fais faites le la
		por favor gracias de acuerdo supuesto está bien eso es así todo me parece`)
)

func wordSet(list string) map[string]bool {
	all := make(map[string]bool)
	for _, t := range lex(list, nil) {
		all[t.text] = true
	}
	return all
}

// maxAgreeing is the maximum number of words of a plain yes.
const maxAgreeing = 8

// Agrees reports whether a message is a plain yes to the message before it and nothing else:
// "yes please", "ja, genau", "d'accord", "sí". It returns false for a question, and for a yes
// with a condition or a value.
func Agrees(message string) bool {
	if len(message) > 200 {
		return false
	}
	yes, count := false, 0
	for _, t := range lex(message, nil) {
		switch {
		case t.text == "?" || t.class == digits || count == 0 && (t.text == "is" || t.text == "ist"):
			return false
		case t.class == mark:
			continue
		case !yeses[t.text] && !besides[t.text]:
			return false
		}
		yes = yes || yeses[t.text]
		count++
	}
	return count <= maxAgreeing && (yes || alsoYes[squash(lex(message, nil))])
}

// alsoYes has phrases that mean yes, from words that do not mean yes alone.
var alsoYes = map[string]bool{"ofcourse": true, "daccord": true, "biensur": true, "deacuerdo": true, "porsupuesto": true, "estabien": true, "cestca": true, "allgood": true, "dasistso": true}
