package askuser

import (
	"math"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// The faults of answers with files.
const (
	FaultTypeFile = "type_file" // not the id of a file
	FaultFile     = tools.FaultFile
	FaultFileType = "file_type" // Type, of the file, and Accept, the types that are accepted
	FaultFileSize = "file_size" // Max
)

// files reads which files a part accepts.
func (r *ruleReader) files(path string, f map[string]any, p *tools.Part) {
	p.MaxBytes = r.limits.MaxFile
	if n, ok := r.finite(path+"maxBytes", f["maxBytes"]); ok {
		if _, isText := f["maxBytes"].(string); isText {
			r.repaired(RepairNumber)
		}
		switch {
		case n != math.Trunc(n) || n < 1:
			r.refuse(ReasonBadRange, path+"maxBytes", " is %s: send a whole number of bytes from 1.", shortest(n))
		case n > float64(r.limits.MaxFile):
			r.repaired(RepairMaxLowered)
		default:
			p.MaxBytes = int64(n)
		}
	}
	p.Accept = r.accept(path+"accept", f["accept"])
}

// accept reads types of files: a list, or a text with commas as in HTML. It adds a missing
// dot to an extension. "*/*" accepts any file, as does an empty list.
func (r *ruleReader) accept(path string, v any) []string {
	var list []any
	switch v := r.unnest(v).(type) {
	case nil:
		return nil
	case string:
		for entry := range strings.SplitSeq(v, ",") {
			list = append(list, entry)
		}
		r.repaired(RepairOptionShape)
	case []any:
		list = v
	default:
		r.refuse(ReasonWrongKind, path, " must be an array of texts such as [\"application/pdf\", \"image/*\", \".csv\"].")
		return nil
	}
	if len(list) > tools.MaxAccept {
		r.refuse(ReasonAccept, path, " has %d entries, the limit is %d: leave it out to take any file.", len(list), tools.MaxAccept)
		return nil
	}
	var entries []string
	for _, v := range list {
		text, _ := v.(string)
		entry := strings.ToLower(strings.TrimSpace(text))
		switch {
		case entry == "*/*" || entry == "*":
			return nil
		case entry == "image/jpg":
			entry = "image/jpeg"
		case entry != "" && !strings.ContainsAny(entry, "./"):
			entry = "." + entry
			r.repaired(RepairOptionShape)
		}
		switch {
		case !tools.IsAccept(entry):
			r.refuse(ReasonAccept, path, " has the entry %s, which is not a file type: write a media type such as \"application/pdf\" or \"image/*\", or an extension such as \".csv\".", quoted(tools.Shorten(text, maxLabel)))
			return nil
		case !slices.Contains(entries, entry):
			entries = append(entries, entry)
		}
	}
	return entries
}

// file checks the type and size of the file that answers p; f is nil if they are not known.
func (c *checker) file(p tools.Part, f *tools.Attachment) *tools.Attachment {
	switch {
	case f == nil:
	case !tools.Accepts(p.Accept, f.Name, f.Type):
		c.fault(fieldValue, FaultFileType, map[string]any{"Type": f.Type, "Accept": strings.Join(p.Accept, ", ")})
	case p.MaxBytes > 0 && f.Size > p.MaxBytes:
		c.fault(fieldValue, FaultFileSize, map[string]any{"Max": tools.Size(p.MaxBytes)})
	}
	return f
}
