package grounding

import "strings"

// measure is the quantity that a unit measures.
type measure uint8

const (
	duration measure = iota + 1 // in seconds
	months
	length // in millimetres
	mass   // in milligrams
	volume // in millilitres
	bytes1000
)

type unitOf struct {
	measure measure
	factor  float64
}

const day = 86400

var units = make(map[string]unitOf)

// steps has the factors between the units of a measure, for conversion.
var steps = map[measure][]float64{
	duration:  {0.001, 1, 60, 3600, day, 7 * day},
	months:    {1, 12},
	length:    {1, 10, 1000, 1e6},
	mass:      {1, 1000, 1e6},
	volume:    {1, 10, 1000},
	bytes1000: {1, 1e3, 1e6, 1e9, 1e12},
}

func init() {
	list := func(m measure, factor float64, names string) {
		for name := range strings.FieldsSeq(names) {
			units[name] = unitOf{m, factor}
		}
	}
	list(duration, 0.001, "ms millisecond milliseconds millisekunde millisekunden milliseconde millisecondes milisegundo milisegundos")
	list(duration, 1, "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos")
	list(duration, 60, "min mins minute minutes minuten minuto minutos")
	list(duration, 3600, "h hr hrs hour hours std stunde stunden heure heures hora horas")
	list(duration, day, "d day days tag tage tagen jour jours dia dias night nights nacht nachte nachten nuit nuits noche noches")
	list(duration, 7*day, "week weeks woche wochen semaine semaines semana semanas")
	list(duration, 14*day, "fortnight")
	list(months, 1, "month months monat monate monaten mois mes meses")
	list(months, 12, "year years yr yrs jahr jahre jahren an ans annee annees ano anos")
	list(length, 1, "mm millimeter millimeters millimetre millimetres")
	list(length, 10, "cm centimeter centimeters centimetre centimetres zentimeter centimetro centimetros")
	list(length, 1000, "m meter meters metre metres metern metro metros")
	list(length, 1e6, "km kilometer kilometers kilometre kilometres kilometern kilometro kilometros kms")
	list(mass, 1, "mg milligram milligrams milligramm milligramme milligrammes miligramo miligramos")
	list(mass, 1000, "g gr gram grams gramm gramme grammes gramo gramos")
	list(mass, 1e6, "kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos")
	list(mass, 453592, "lb lbs")
	list(mass, 28349.5, "oz ounce ounces")
	list(mass, 5e5, "pfund")
	list(volume, 1, "ml milliliter milliliters millilitre millilitres mililitro mililitros")
	list(volume, 10, "cl centiliter zentiliter centilitre centilitres centilitro centilitros")
	list(volume, 1000, "l liter liters litre litres litro litros")
	list(bytes1000, 1, "byte bytes octet octets")
	list(bytes1000, 1e3, "kb")
	list(bytes1000, 1e6, "mb megabyte megabytes")
	list(bytes1000, 1e9, "gb gigabyte gigabytes gig gigs")
	list(bytes1000, 1e12, "tb terabyte terabytes")
}

// money has the signs and names of currencies next to an amount.
var money = map[string]bool{"$": true, "€": true, "£": true, "¥": true, "dollar": true, "dollars": true, "euro": true, "euros": true,
	"eur": true, "usd": true, "gbp": true, "chf": true, "pound": true, "pounds": true, "franken": true, "francs": true, "bucks": true, "quid": true}

// signs has the codes of currencies.
var signs = map[string]string{"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}

// people has the stems of words for people who are counted.
var people = map[string]bool{"adul": true, "chil": true, "kid": true, "kids": true, "baby": true, "babi": true, "infa": true, "erwa": true, "erw": true, "kind": true,
	"enfa": true, "bebe": true, "nino": true, "nina": true, "schu": true, "lehr": true, "stud": true, "pupi": true, "teac": true, "elev": true, "alum": true, "prof": true, "pers": true, "peop": true, "gues": true, "gast": true, "seni": true, "teen": true}
