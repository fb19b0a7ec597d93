package groundingtest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// spell writes a number below a hundred in words.
func spell(language string, n int) string {
	if n < 20 {
		return small[language][n]
	}
	t, u := n/10, n%10
	switch language {
	case "de":
		tens := []string{"zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"}[t-2]
		if u == 0 {
			return tens
		}
		if u == 1 {
			return "einund" + tens
		}
		return small["de"][u] + "und" + tens
	case "fr":
		tens := []string{"vingt", "trente", "quarante", "cinquante", "soixante", "soixante", "quatre-vingt", "quatre-vingt"}[t-2]
		if t == 7 || t == 9 {
			u += 10
		}
		switch {
		case u == 0 && t == 8:
			return "quatre-vingts"
		case u == 0:
			return tens
		case (u == 1 || u == 11) && t < 8:
			return tens + " et " + small["fr"][u]
		}
		return tens + "-" + small["fr"][u]
	case "es":
		if t == 2 && u > 0 {
			return "veinti" + small["es"][u]
		}
		tens := []string{"veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"}[t-2]
		if u == 0 {
			return tens
		}
		return tens + " y " + small["es"][u]
	}
	tens := []string{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}[t-2]
	if u == 0 {
		return tens
	}
	return tens + "-" + small["en"][u]
}

// pick returns one of the forms that are not empty.
func pick(r *rand.Rand, forms ...string) string {
	var all []string
	for _, f := range forms {
		if f != "" {
			all = append(all, f)
		}
	}
	return all[r.IntN(len(all))]
}

func only(is bool, form string) string {
	if is {
		return form
	}
	return ""
}

// dateForm writes a day as people say it on another day.
func dateForm(r *rand.Rand, language string, heldOut bool, base, on time.Time) string {
	away := int(on.Sub(base).Hours()/24 + 0.5)
	d, month, w := on.Day(), months[language][on.Month()-1], weekdays[language][on.Weekday()]
	y := on.Year()
	iso := on.Format("2006-01-02")
	soon := away >= 1 && away <= 25
	nextWeek := on.After(monday(base).AddDate(0, 0, 6)) && !on.After(monday(base).AddDate(0, 0, 13))
	switch {
	case language == "en" && !heldOut:
		return pick(r, "on "+iso, fmt.Sprintf("on %s %d", month, d), fmt.Sprintf("on %s %d%s, %d", month, d, suffix(d), y), only(away == 1, "tomorrow"),
			only(nextWeek && away > 6, "next "+w), only(soon, fmt.Sprintf("on the %d%s", d, suffix(d))), "on "+on.Format("01/02/2006"), only(away > 0 && away < 7, "on "+w))
	case language == "en":
		return pick(r, fmt.Sprintf("on the %d%s of %s", d, suffix(d), month), on.Format("Mon, Jan 2"), only(away > 2 && away < 12, fmt.Sprintf("in %d days", away)),
			only(away == 2, "the day after tomorrow"), only(away > 0 && away < 7, "this coming "+w), only(soon, fmt.Sprintf("on %s the %d%s", w, d, suffix(d))),
			only(away == 7, "a week from today"), only(nextWeek, w+" next week"), only(away == 14, "in two weeks"), on.Format("2 Jan 2006"))
	case language == "de" && !heldOut:
		return pick(r, fmt.Sprintf("am %d. %s", d, month), "am "+on.Format("02.01.2006"), only(away == 1, "morgen"), only(nextWeek && away > 6, "nächsten "+w),
			only(soon, fmt.Sprintf("am %d.", d)), only(away > 0 && away < 7, "am "+w))
	case language == "de":
		return pick(r, fmt.Sprintf("am %d.%d.", d, on.Month()), only(away == 2, "übermorgen"), only(away > 2 && away < 12, fmt.Sprintf("in %d Tagen", away)),
			only(away == 14, "in zwei Wochen"), only(away > 0 && away < 7, "kommenden "+w), only(nextWeek, w+" nächster Woche"),
			fmt.Sprintf("am %s, dem %d. %s", w, d, month), only(away == 7, "heute in einer Woche"), on.Format("2.1.06"))
	case language == "fr" && !heldOut:
		return pick(r, fmt.Sprintf("le %d %s", d, month), "le "+on.Format("02/01/2006"), only(away == 1, "demain"), only(nextWeek && away > 6, w+" prochain"),
			only(soon, fmt.Sprintf("le %d", d)), only(away > 0 && away < 7, w))
	case language == "fr":
		return pick(r, fmt.Sprintf("le %s %d %s", w, d, month), only(away == 2, "après-demain"), only(away > 2 && away < 12, fmt.Sprintf("dans %d jours", away)),
			only(away == 14, "dans deux semaines"), only(d == 1, "le 1er "+month), only(nextWeek, w+" de la semaine prochaine"), fmt.Sprintf("le %d %s %d", d, month, y))
	case !heldOut:
		return pick(r, fmt.Sprintf("el %d de %s", d, month), "el "+on.Format("02/01/2006"), only(away == 1, "mañana"), only(nextWeek && away > 6, "el próximo "+w),
			only(soon, fmt.Sprintf("el día %d", d)), only(away > 0 && away < 7, "el "+w))
	}
	return pick(r, fmt.Sprintf("el %s %d de %s", w, d, month), only(away == 2, "pasado mañana"), only(away > 2 && away < 12, fmt.Sprintf("dentro de %d días", away)),
		only(away == 14, "en dos semanas"), only(nextWeek && away > 6, "el "+w+" que viene"), fmt.Sprintf("el %d de %s de %d", d, month, y), only(nextWeek, "el "+w+" de la próxima semana"))
}

func monday(of time.Time) time.Time { return of.AddDate(0, 0, -(int(of.Weekday())+6)%7) }

func suffix(d int) string {
	switch {
	case d%10 == 1 && d != 11:
		return "st"
	case d%10 == 2 && d != 12:
		return "nd"
	case d%10 == 3 && d != 13:
		return "rd"
	}
	return "th"
}

// timeForm writes a time of day.
func timeForm(r *rand.Rand, language string, heldOut bool, h, m int) string {
	twelve := (h+11)%12 + 1
	next := twelve%12 + 1
	half := map[bool]string{true: "pm", false: "am"}[h >= 12]
	digital := fmt.Sprintf("%02d:%02d", h, m)
	now, then := spell(language, twelve), spell(language, next)
	whole := m == 0
	switch {
	case language == "en" && !heldOut:
		return pick(r, only(!whole, fmt.Sprintf("%d:%02d %s", twelve, m, half)), only(whole, fmt.Sprintf("%d%s", twelve, half)), digital, only(m == 30, "half past "+now))
	case language == "en":
		return pick(r, only(m == 45, "quarter to "+then), only(m == 15, "quarter past "+now), only(m == 30, now+" thirty"), fmt.Sprintf("%d.%02d %c.m.", twelve, m, half[0]),
			only(whole, now+" o'clock"), only(h == 12 && whole, "noon"), only(whole, fmt.Sprintf("around %d", twelve)), only(m == 10, "ten past "+now))
	case language == "de" && !heldOut:
		return pick(r, digital+" Uhr", only(whole, fmt.Sprintf("%d Uhr", h)), only(m == 30, "halb "+then), fmt.Sprintf("%d.%02d Uhr", h, m))
	case language == "de":
		return pick(r, only(m == 15, "viertel nach "+now), only(m == 45, "Viertel vor "+then), fmt.Sprintf("%d Uhr %02d", h, m), only(m == 10, "zehn nach "+now),
			only(whole && h > 12 && h < 18, fmt.Sprintf("%d Uhr nachmittags", twelve)), only(whole && twelve > 1, now+" Uhr"))
	case language == "fr" && !heldOut:
		return pick(r, only(!whole, fmt.Sprintf("%dh%02d", h, m)), only(whole, fmt.Sprintf("%d heures", h)), only(m == 30, now+" heures et demie"), fmt.Sprintf("%d h %02d", h, m))
	case language == "fr":
		return pick(r, only(m == 45, then+" heures moins le quart"), only(m == 15, now+" heures et quart"), only(whole && h > 12 && h < 18, fmt.Sprintf("%d heures de l'après-midi", twelve)),
			only(h == 12 && whole, "midi"), only(whole, fmt.Sprintf("%dh", h)), digital, only(m == 10, now+" heures dix"))
	case !heldOut:
		return pick(r, "las "+digital, only(m == 30, "las "+now+" y media"), only(whole && h > 12 && h < 20, fmt.Sprintf("las %d de la tarde", twelve)))
	}
	return pick(r, only(m == 45, "las "+then+" menos cuarto"), only(m == 15, "las "+now+" y cuarto"), only(m == 10, "las "+now+" y diez"), only(h == 12 && whole, "mediodía"),
		only(whole, fmt.Sprintf("eso de las %d", twelve)), fmt.Sprintf("las %d:%02d h", h, m))
}

// countForm writes a count.
func countForm(r *rand.Rand, language string, n int) string {
	return pick(r, strconv.Itoa(n), spell(language, n))
}

// amountForm writes an amount of money, given in cents.
func amountForm(r *rand.Rand, language string, heldOut bool, cents int) string {
	whole, rest := cents/100, cents%100
	thousands := func(mark string) string {
		if whole < 1000 {
			return strconv.Itoa(whole)
		}
		return fmt.Sprintf("%d%s%03d", whole/1000, mark, whole%1000)
	}
	mark, point := ".", ","
	switch language {
	case "en":
		mark, point = ",", "."
	case "fr":
		mark = "\u202f"
	}
	figures := thousands(mark)
	if rest > 0 {
		figures += fmt.Sprintf("%s%02d", point, rest)
	}
	plain := strconv.Itoa(whole)
	if rest > 0 {
		plain += fmt.Sprintf("%s%02d", point, rest)
	}
	round := only(rest == 0 && whole%100 == 0 && whole >= 1000, strings.TrimSuffix(fmt.Sprintf("%d%s%d", whole/1000, point, whole%1000/100), point+"0"))
	switch {
	case language == "en" && !heldOut:
		return pick(r, "$"+figures, figures+" dollars", plain)
	case language == "en":
		return pick(r, figures+" USD", "£"+plain, only(round != "", "$"+round+"k"), only(rest == 0 && whole < 100, spell(language, min(whole, 99))+" bucks"))
	case !heldOut:
		return pick(r, figures+" €", plain+" Euro", "€ "+figures)
	}
	return pick(r, figures+" EUR", plain+" €", only(round != "" && language == "de", round+" Tausend"), only(rest == 0 && whole < 100, spell(language, min(whole, 99))+" euros"), only(rest == 0 && language == "de", figures+",- €"))
}

// minutesForm writes a duration.
func minutesForm(r *rand.Rand, language string, heldOut bool, n int) string {
	unit := map[string][4]string{"en": {"minutes", "hours", "an hour and a half", "half an hour"}, "de": {"Minuten", "Stunden", "anderthalb Stunden", "eine halbe Stunde"},
		"fr": {"minutes", "heures", "une heure et demie", "une demi-heure"}, "es": {"minutos", "horas", "una hora y media", "media hora"}}[language]
	if !heldOut {
		return pick(r, fmt.Sprintf("%d %s", n, unit[0]), only(n%60 == 0 && n > 60, fmt.Sprintf("%d %s", n/60, unit[1])), only(n%60 == 0 && n > 60, spell(language, n/60)+" "+unit[1]))
	}
	return pick(r, fmt.Sprintf("%d min", n), only(n == 90, unit[2]), only(n == 30, unit[3]), only(n > 60 && n%60 != 0, fmt.Sprintf("%dh%02d", n/60, n%60)), only(n%60 == 0, fmt.Sprintf("%d h", n/60)))
}

// phoneForm writes a phone number of a country in one of the usual ways.
func phoneForm(r *rand.Rand, heldOut bool, country, national string) string {
	a, b := national[:3], national[3:]
	if !heldOut {
		return pick(r, "+"+country+" "+a+" "+b, "0"+a+"/"+b, "0"+a+" "+b[:3]+" "+b[3:])
	}
	return pick(r, "0"+a+"-"+b, "(0"+a+") "+b[:2]+" "+b[2:4]+" "+b[4:], "00"+country+a+b, "+"+country+" (0)"+a+" "+b)
}

// codeForm writes a reference code of letters and figures.
func codeForm(r *rand.Rand, heldOut bool, letters, figures string) string {
	if !heldOut {
		return pick(r, letters+"-"+figures, letters+figures)
	}
	return pick(r, strings.ToLower(letters)+figures, letters+" "+figures[:3]+" "+figures[3:], letters+"/"+figures)
}
