package tools

// InputType is the way in which a part of a question is answered.
type InputType string

// The input types.
const (
	Text        InputType = "text"
	Select      InputType = "select"
	Multiselect InputType = "multiselect"
	Confirm     InputType = "confirm"
	Number      InputType = "number"
	Date        InputType = "date"
	Datetime    InputType = "datetime" // an RFC 3339 time, with its offset
	Scale       InputType = "scale"    // a whole number from 1 to Validation.Max
	Rank        InputType = "rank"     // all options in order, the best first
	File        InputType = "file"     // answered by the id of an uploaded file
)

// traits are the properties of an input type that other packages ask for.
type traits struct {
	options bool // the asker lists what can be chosen
	values  bool // an answer has Values, not Value
	written bool // an answer is a text or number of the person's own
}

var inputTypes = map[InputType]traits{
	Text: {written: true}, Number: {written: true}, Date: {written: true}, Datetime: {written: true}, Scale: {written: true},
	Select: {options: true}, Multiselect: {options: true, values: true}, Rank: {options: true, values: true},
	Confirm: {}, File: {},
}

// Known reports whether this build knows the input type. A newer one may have stored another.
func (t InputType) Known() bool {
	_, known := inputTypes[t]
	return known
}

// HasOptions reports whether the asker lists what can be chosen. The yes and no of a confirm
// are not such a list.
func (t InputType) HasOptions() bool { return inputTypes[t].options }

// TakesValues reports whether an answer has Answer.Values rather than Answer.Value.
func (t InputType) TakesValues() bool { return inputTypes[t].values }

// Written reports whether an answer is a text or number of the person's own, which stands in
// no list of the question.
func (t InputType) Written() bool { return inputTypes[t].written }

// InputTypeWords returns the input types but file, which not every place accepts, in the order
// in which authors read them.
func InputTypeWords() []string {
	return []string{
		string(Text), string(Select), string(Multiselect), string(Confirm), string(Number), string(Date), string(Datetime), string(Scale), string(Rank),
	}
}
