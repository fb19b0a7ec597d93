package passages

// Kind is the type of a field.
type Kind string

// The kinds of fields.
const (
	Enum   Kind = "enum"   // one text
	List   Kind = "list"   // texts
	Date   Kind = "date"   // a day, or a moment, which stands for its day in UTC
	Number Kind = "number" // a JSON number
)

// Settings says what is read of documents besides their text.
type Settings struct {
	// Title says where a document's title is: a JSON pointer into a line of JSON, or an HTML
	// selector. "" stands for the default.
	Title string
	// Fields are the members that are kept of what a document says about itself, by name.
	Fields map[string]Kind
	// Versions says which members make several documents one work; nil: none do.
	Versions *Versions
}

// Versions names the members of a document that is one of several versions of a work.
type Versions struct {
	Key  string // the same in all versions of a work
	From string // the first day in force
	To   string // the last day in force
}

// Facts is what a document says about itself, apart from title and link. It is shared by all
// passages of the document, and must not be changed.
type Facts struct {
	ID     string           // of the work, for people; ""
	Date   string           // as 2026-01-31, or ""
	Fields map[string]Value // those of Settings.Fields that the document has
	Key    string           // what its versions have in common; "": it is not a version of anything
	From   string           // first day in force, as 2026-01-31; "": always
	To     string           // last day in force; "": until the next version
}

// Value is the value of a field.
type Value struct {
	Kind   Kind
	Texts  []string // of an enum (one), a list, or a date (one, as 2026-01-31)
	Number float64
}
