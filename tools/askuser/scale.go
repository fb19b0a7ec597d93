package askuser

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/askgate/askgate/tools"
)

// FaultScale is the fault of a value that is not on the scale: Max.
const FaultScale = "scale"

// The ends of scales.
const (
	leastScale   = 2
	usualScale   = 5
	longestScale = 10
	maxScaleEnd  = 60 // code points of a name
)

var scaleNames = names(map[string]string{
	"low":  "min minlabel lowlabel left leftlabel start first lowest worst from",
	"high": "max maxlabel highlabel right rightlabel end last highest best to",
})

// scaleRules reads the length of a scale. A scale starts at 1; another min is refused, since the
// model would take a 3 for something else than the person did.
func (r *ruleReader) scaleRules(path string, use func(string) (string, any), _ tools.Part, v *tools.Validation) {
	where, least := use("min")
	if n, ok := r.finite(where, least); ok && n != 1 {
		r.refuse(ReasonBadRange, where, " is %s, but a scale starts at 1: leave it out, or use input_type number.", shortest(n))
	}
	v.Max = &tools.Bound{Number: usualScale}
	where, most := use("max")
	if n, ok := r.finite(where, most); ok {
		if v.Max.Number = n; n != math.Trunc(n) || n < leastScale || n > longestScale {
			r.refuse(ReasonBadRange, where, " is %s: send a whole number from %d to %d, or use input_type number.", shortest(n), leastScale, longestScale)
		}
	}
	use("integer") // it is always whole
	v.Integer = false
}

// ends reads the names of a scale's ends.
func (r *ruleReader) ends(path string, v any) *tools.ScaleEnds {
	if empty(v) {
		return nil
	}
	o, ok := r.unnest(v).(*object)
	if !ok {
		r.refuse(ReasonWrongKind, path, ` must be an object such as {"low": "not at all", "high": "very much"}, with the names of the ends.`)
		return nil
	}
	f := r.fields(o, scaleNames)
	r.spell(path+".", f)
	ends := tools.ScaleEnds{Low: r.cosmetic(path+".low", f["low"], maxScaleEnd), High: r.cosmetic(path+".high", f["high"], maxScaleEnd)}
	if ends == (tools.ScaleEnds{}) {
		return nil
	}
	return &ends
}

// scaleMax returns the highest value of a scale.
func scaleMax(p tools.Part) int {
	if p.Validation == nil || p.Validation.Max == nil {
		return usualScale
	}
	return int(p.Validation.Max.Number)
}

// scale checks a value of a scale: a JSON number, so that 3.0 is 3 and "3" is refused.
func (c *checker) scale(p tools.Part, v any) (json.RawMessage, bool) {
	if number, isNumber := v.(json.Number); isNumber {
		if value, ok := onScale(p, number.String()); ok {
			return json.RawMessage(value), true
		}
	}
	c.fault(fieldValue, FaultScale, map[string]any{"Max": scaleMax(p)})
	return nil, false
}

// onScale returns a value of the scale in the form of an answer.
func onScale(p tools.Part, s string) (value string, ok bool) {
	literal, n, ok := numeral(s)
	if !ok || n != math.Trunc(n) || n < 1 || n > float64(scaleMax(p)) || literal != shortest(n) {
		return "", false
	}
	return literal, true
}

func scaleDefault(_ *reader, p tools.Part, v any) tools.Answer {
	value, ok := onScale(p, scalar(v))
	if !ok {
		return tools.Answer{Value: quote(scalar(v))} // refused by the check
	}
	return tools.Answer{Value: json.RawMessage(value)}
}

func scaleAwaited(p tools.Part, s string) (value, hint string) {
	if value, ok := onScale(p, s); ok {
		return value, ""
	}
	return s, "send a whole number from 1 to " + strconv.Itoa(scaleMax(p))
}
