package askuser

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/pattern"
)

// validation reads the rules that apply to the part's type and drops the others. f has the
// fields of the whole part: rules outside `validation` count too.
func (r *ruleReader) validation(path string, f map[string]any, p tools.Part, integer bool) *tools.Validation {
	rules := r.rules(path, f)
	v := tools.Validation{Integer: integer}
	use := func(field string) (string, any) {
		rule := rules[field]
		delete(rules, field)
		return path + "." + field, rule
	}
	if read := types[p.InputType].rules; read != nil {
		read(r, path, use, p, &v)
	}
	if p.InputType != tools.Select && p.InputType != tools.Confirm {
		where, message := use("message")
		v.Message = r.cosmetic(where, message, maxMessage)
	}
	for _, rule := range rules {
		if rule != false && rule != "" {
			r.repaired(RepairDropped)
		}
	}
	if v == (tools.Validation{}) {
		return nil
	}
	return &v
}

// rules returns the rules in `validation`, and those next to it that it lacks.
func (r *ruleReader) rules(path string, f map[string]any) map[string]any {
	rules := map[string]any{}
	switch v := r.unnest(f["validation"]).(type) {
	case nil:
	case *object:
		rules = r.fields(v, validationNames)
		r.spell(path+".", rules)
		delete(rules, spelling)
	case string:
		if !tools.Blank(v) {
			r.refuse(ReasonWrongKind, path, " must be an object: put a regular expression into `%s.pattern`.", path)
		}
	default:
		r.refuse(ReasonWrongKind, path, " must be an object with `pattern`, `min`, `max`, `integer` or `message`.")
	}
	for field := range validationFields {
		if _, inside := rules[field]; !inside && f[field] != nil {
			rules[field] = f[field]
			r.place(path+"."+field, strings.TrimSuffix(path, "validation")+field)
			r.repaired(RepairValidation)
		}
	}
	return rules
}

func (r *ruleReader) pattern(path string, v any, to *tools.Validation) {
	source, isText := v.(string)
	switch {
	case v == nil || isText && strings.TrimSpace(source) == "":
		return
	case !isText:
		r.refuse(ReasonWrongKind, path, " must be a text: a JavaScript regular expression of up to %d characters without slashes around it.", maxPattern)
		return
	case !r.atMost(path, source, maxPattern, "simplify it, or ask without a pattern"):
		return
	}
	shortest, longest := 1, r.limits.MaxAnswer
	if to.Min != nil {
		shortest = max(shortest, int(to.Min.Number))
	}
	if to.Max != nil {
		longest = min(longest, int(to.Max.Number))
	}
	flags, err := pattern.CheckRange(source, shortest, longest)
	if err != nil {
		reason := "refused"
		if refusal := (*pattern.Refusal)(nil); errors.As(err, &refusal) {
			reason = string(refusal.Reason)
		}
		r.refuse(reasonPatternPrefix+reason, path, ": %s", err.Error())
		return
	}
	to.Pattern, to.Flags = source, &flags
}

// countRange reads min and max as counts: code points of a text, or choices of a
// multiselect. max must be at least 1, and min at most most.
func (r *ruleReader) countRange(path string, use func(string) (string, any), to *tools.Validation, counted string, most int) {
	for _, field := range []string{"min", "max"} {
		where, v := use(field)
		n, ok := r.finite(where, v)
		if !ok {
			continue
		}
		switch {
		case n != math.Trunc(n) || n < 0 || n > math.MaxInt32:
			r.refuse(ReasonBadRange, where, " is %s: send a whole number from 0. It counts %s.", shortest(n), counted)
		case field == "max" && n < 1:
			r.refuse(ReasonBadRange, where, " is 0, so no answer is valid: send at least 1.")
		case field == "min" && n > float64(most):
			r.refuse(ReasonBadRange, where, " is %s, the limit is %d: no answer is valid.", shortest(n), most)
		case field == "min":
			to.Min = &tools.Bound{Number: n}
		default:
			to.Max = &tools.Bound{Number: n}
		}
	}
	r.ordered(path, to)
}

func (r *ruleReader) numberRange(use func(string) (string, any), to *tools.Validation) {
	for _, field := range []string{"min", "max"} {
		where, v := use(field)
		if n, ok := r.finite(where, v); ok && field == "min" {
			to.Min = &tools.Bound{Number: n}
		} else if ok {
			to.Max = &tools.Bound{Number: n}
		}
	}
	where, integer := use("integer")
	if r.boolean(where, integer) {
		to.Integer = true
	}
	path := strings.TrimSuffix(where, ".integer")
	if !r.ordered(path, to) || !to.Integer || to.Min == nil || to.Max == nil {
		return
	}
	if math.Ceil(to.Min.Number) > math.Floor(to.Max.Number) {
		r.refuse(ReasonBadRange, path, ": there is no whole number from min %s to max %s: widen the range.", shortest(to.Min.Number), shortest(to.Max.Number))
	}
}

// ordered refuses a min above max.
func (r *ruleReader) ordered(path string, v *tools.Validation) bool {
	if v.Min == nil || v.Max == nil || v.Min.Number <= v.Max.Number {
		return true
	}
	r.refuse(ReasonBadRange, path+".min", " is %s and `%s.max` is %s: min must not be above max.", shortest(v.Min.Number), path, shortest(v.Max.Number))
	return false
}

// isDate reports whether s is a calendar date as YYYY-MM-DD (RFC 3339 full-date).
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil && len(s) == len(time.DateOnly)
}
