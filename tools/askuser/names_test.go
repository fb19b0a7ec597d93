package askuser

import (
	"strings"
	"testing"
)

// An alias of two fields would be read as either, at random.
func TestNamesAreUnambiguous(t *testing.T) {
	for name, tables := range map[string][]map[string]string{
		"part":   {partAliases, validationFields},
		"option": {optionAliases},
		"rules":  {validationFields},
		"types":  {typeAliases()},
		"format": {formatAliases},
	} {
		seen := map[string]string{}
		for _, table := range tables {
			for field, aliases := range table {
				for alias := range strings.FieldsSeq(canonical(field) + " " + aliases) {
					if other, ok := seen[alias]; ok {
						t.Errorf("%s: %s stands for %s and %s", name, alias, other, field)
					}
					if alias != canonical(alias) {
						t.Errorf("%s: %s is never looked up, write %s", name, alias, canonical(alias))
					}
					seen[alias] = field
				}
			}
		}
	}
}
