package grounding

import "strings"

// about is the kind of a mention.
type about uint8

const (
	exactly   about = iota + 1 // a: days since 1970
	yearly                     // a: month, b: day
	ofMonth                    // a: day
	onWeekday                  // a: weekday, b: 1 next, -1 last
	inDays                     // a: days from then on
	inMonths                   // a: months from then on
	inMonth                    // a: month, b: year or 0
	inYear                     // a: year
	weekOf                     // a: weeks from then on
	weekendOf                  // a: weekends from then on
	monthOf                    // a: months from then on
	yearOf                     // a: years from then on
)

// mention is a statement about a date.
type mention struct {
	about about
	a, b  int32
	base  int32 // the day it was said; 0: unknown
}

var monthNames, weekdayNames = make(map[string]int32), make(map[string]int32)

// shortOnly has names of months that are also common words: they count only next to a day.
var shortOnly = make(map[string]bool)

// feasts has the days of the year that have names.
var feasts = map[string][][2]int32{
	"christmas": {{12, 25}, {12, 24}}, "weihnachten": {{12, 25}, {12, 24}}, "noel": {{12, 25}, {12, 24}}, "navidad": {{12, 25}, {12, 24}},
	"heiligabend": {{12, 24}}, "nochebuena": {{12, 24}}, "silvester": {{12, 31}}, "nochevieja": {{12, 31}}, "neujahr": {{1, 1}},
	"xmas": {{12, 25}, {12, 24}}, "halloween": {{10, 31}}, "valentine": {{2, 14}}, "valentinstag": {{2, 14}},
}

func init() {
	list := func(into map[string]int32, first int32, names string) {
		for i, alternatives := range strings.Fields(names) {
			for name := range strings.SplitSeq(alternatives, "|") {
				into[name] = first + int32(i) // #nosec G115 -- of twelve
			}
		}
	}
	list(monthNames, 1, "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov december|dec")
	list(monthNames, 1, "januar|janner|jaenner februar marz|maerz april mai juni juli august september oktober|okt november dezember|dez")
	list(monthNames, 1, "janvier|janv fevrier|fev|fevr mars avril|avr mai juin juillet|juil aout septembre octobre novembre decembre")
	list(monthNames, 1, "enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre octubre noviembre diciembre|dic")
	for name := range strings.FieldsSeq("may march mar mars sep sept jan dec jun ago ene dic set abr avr dez okt mai oct") {
		shortOnly[name] = true
	}
	list(weekdayNames, 0, "sunday monday|mon tuesday|tue|tues wednesday|wed|weds thursday|thu|thur|thurs friday|fri saturday")
	weekdayNames["lun"], weekdayNames["mie"], weekdayNames["jue"], weekdayNames["ven"] = 1, 3, 4, 5
	list(weekdayNames, 0, "sundays mondays tuesdays wednesdays thursdays fridays saturdays")
	list(weekdayNames, 0, "sonntag montag dienstag mittwoch donnerstag freitag samstag|sonnabend")
	list(weekdayNames, 0, "sonntags montags dienstags mittwochs donnerstags freitags samstags|sonnabends")
	for _, name := range strings.Fields("sonntag montag dienstag mittwoch donnerstag freitag samstag sonnabend") {
		for _, part := range strings.Fields("morgen fruh vormittag mittag nachmittag abend nacht") {
			weekdayNames[name+part] = weekdayNames[name]
		}
	}
	list(weekdayNames, 0, "dimanche|dimanches lundi|lundis mardi|mardis mercredi|mercredis jeudi|jeudis vendredi|vendredis samedi|samedis")
	list(weekdayNames, 0, "domingo|domingos lunes martes miercoles jueves viernes sabado|sabados")
}
