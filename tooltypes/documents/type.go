package documents

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const (
	maxInclude = 50
	maxFields  = 50
	maxMember  = 100 // characters of a member's name
)

// fieldName is what Anthropic's API accepts as the name of a property; others accept more.
var fieldName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// reserved are names that a field must not have: the query of a search is not a field, and the title
// and id of a document are in each result as such, and searched.
var reserved = []string{"query", "title", "id"}

var defaultInclude = []string{"**/*.md", "**/*.html", "**/*.txt", "**/*.jsonl", "**/*.pdf", "**/*.docx"}

// Type returns the type "documents" of tools.json, with the libraries of the shelf. The shelf may
// be nil if no tool is made.
func Type(shelf *Shelf) config.ToolType {
	return config.ToolType{
		Name: "documents", About: "finds and reads passages in a folder of texts.", OwnParameters: true, Family: "its functions",
		Example: `{"path": "laws"}`,
		Keys: func() (any, config.Item) {
			o := &Options{Include: defaultInclude}
			return o, config.Item{Keys: o.keys()}
		},
		Members: func(t *config.Tool) (ids []string) {
			for _, suffix := range t.Own.(*Options).suffixes() {
				ids = append(ids, t.ID+suffix)
			}
			return ids
		},
		Lists: func(t *config.Tool, from *config.OptionsFrom) string {
			if from.Tool != t.ID+searchSuffix {
				return "it lists nothing; name " + t.ID + searchSuffix
			}
			return t.Own.(*Options).unknown(from.Arguments)
		},
		Changes: func(t *config.Tool) bool { return FolderOf(t) != "" },
		Shown:   func(t *config.Tool) config.Shown { return config.Shown{State: shelf.state(t.ID)} },
		New: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			o := *entry.Own.(*Options)
			o.ID, o.About = entry.ID, entry.Description
			return shelf.Tool(app.ID, o)
		},
	}
}

// unknown returns which argument of a search does not exist, or "". Values are not checked: they can
// have placeholders.
func (o *Options) unknown(arguments json.RawMessage) string {
	var given, filter map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given) // another check reports its faults
	_ = json.Unmarshal(given["filter"], &filter)
	known := slices.Sorted(maps.Keys(o.searchProperties()))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			return fmt.Sprintf("it has no argument %q; %s", name, config.Suggest(name, known))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(filter)) {
		if fields := slices.Sorted(maps.Keys(o.Fields)); !slices.Contains(fields, name) {
			return fmt.Sprintf("its filter has no field %q; %s", name, config.Suggest(name, fields))
		}
	}
	return ""
}

func (o *Options) keys() []config.Key {
	return []config.Key{
		config.FolderKey("path", &o.Folder, "the [folder of texts](tools/documents.md), relative to the configuration directory. It is offered as `<id>__search` and `<id>__read`, and with `versions` as `<id>__diff`; the `id` has at most 32 characters, and no `__`").Must(`name the folder, like "laws"`),
		config.Words("include", &o.Include, maxInclude, isPattern, "which of its files to index: `**` stands for any folders, `*` for part of a name"),
		config.Filled("link", &o.Link, isLink, "where people read a passage: an address with `{path}`, `{anchor}` and `{id}`").Unset("the passage's own address"),
		config.Filled("title", &o.Title, isTitle, "where a document's title is: a JSON pointer into a line of `.jsonl`, or an HTML selector").Unset("`title`, and the first heading"),
		config.Named("fields", config.Names{
			Pattern: fieldName, Wrong: "is not a name for a field; use 1 to 64 of A-Z, a-z, 0-9, _, . and -",
			Most: maxFields, Many: "too many fields; the limit is %d", Example: `{"type": "enum"}`,
		}, o.field, "further members to keep of what [a document says about itself](tools/documents.md#what-a-document-says-about-itself), by name; not `query`, `title` or `id`").Then(o.free),
		config.WordsOf("languages", &o.Languages, "language", index.Languages(), "the languages of the texts and of the [questions about them](tools/documents.md#questions-in-words)").Unset("none"),
		config.FileKey("synonyms", &o.Synonyms, readable, "a file of [words that mean the same](tools/documents.md#synonyms), relative to the configuration directory").Unset("none"),
		config.Object("versions", o.versions, "the members that make documents [versions of one work](tools/documents.md#versions)", o.apart).Unset("no document is a version of another"),
	}
}

// field reads the kind of a field.
func (o *Options) field(name string) config.Item {
	kind := ""
	kinds := []string{string(passages.Enum), string(passages.List), string(passages.Date), string(passages.Number)}
	return config.Item{
		Keys: []config.Key{
			config.Word("type", &kind, "type", kinds, "`enum`: one text; `list`: texts; `date`: a day, or a date and time, of which the day in UTC is kept; `number`: a number").Must(`write {"type": "enum"}, or list, date or number`),
		},
		Done: func(_ config.Value, clean bool) {
			if o.Fields == nil {
				o.Fields = map[string]passages.Kind{}
			}
			if clean {
				o.Fields[name] = passages.Kind(kind)
			}
		},
	}
}

// free reports fields with reserved names.
func (o *Options) free(n config.Value) {
	for _, name := range reserved {
		if at := n.Key(name); at.Given() {
			at.Fault("%q is reserved, because searches have it already; remove it, or name another member", name)
		}
	}
}

// versions reads the names of the members of a version.
func (o *Options) versions() []config.Key {
	o.Versions = &passages.Versions{From: "valid_from", To: "valid_to"}
	return []config.Key{
		config.Filled("key", &o.Versions.Key, isMember, "the member that is the same in all versions of a work, such as `id`").Must(`name the member, like "id"`),
		config.Filled("from", &o.Versions.From, isMember, "the member with the first day in force"),
		config.Filled("to", &o.Versions.To, isMember, "the member with the last day in force"),
	}
}

// apart reports members that mean two things.
func (o *Options) apart(n config.Value) {
	if v := o.Versions; v.Key == v.From || v.Key == v.To || v.From == v.To {
		n.Fault("key, from and to must be different members; rename one")
	}
}

func isMember(n config.Value, name string) bool {
	ok := utf8.RuneCountInString(name) <= maxMember
	if !ok {
		n.Fault("too long: more than %d characters; write the name of a member", maxMember)
	}
	return ok
}

func isPattern(n config.Value, pattern string) bool {
	ok := doublestar.ValidatePattern(pattern) && !strings.HasPrefix(pattern, "/") && !strings.Contains(pattern, "..")
	if !ok {
		n.Fault(`%s is not a pattern for files in the folder; write it like "**/*.md"`, n.Raw())
	}
	return ok
}

func isLink(n config.Value, link string) bool {
	why := badLink(link)
	if why != "" {
		n.Fault("%s %s", n.Raw(), why)
	}
	return why == ""
}

func isTitle(n config.Value, title string) bool {
	_, err := passages.New(passages.Settings{Title: title})
	if err != nil {
		n.Fault("%s is not a place for titles: %s", n.Raw(), err)
	}
	return err == nil
}

// badLink returns what is wrong with a pattern of links, or "".
func badLink(link string) string {
	for _, m := range tools.Placeholder.FindAllStringSubmatch(link, -1) {
		if m[1] != "path" && m[1] != "anchor" && m[1] != "id" {
			return fmt.Sprintf("has {%s}, which has no value; use {path}, {anchor} and {id}", m[1])
		}
	}
	u, err := url.Parse(tools.Placeholder.ReplaceAllString(link, "x"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return `is not a web address; write it like "https://laws.example.org/{path}#{anchor}"`
	}
	if scheme, rest, _ := strings.Cut(link, "://"); strings.Contains(scheme, "{") || strings.Contains(strings.SplitN(rest, "/", 2)[0], "{") {
		return "has a placeholder in its host; put it behind the host, so that documents do not choose where links lead"
	}
	return ""
}

// link returns the address at which people read a passage.
func (o *Options) link(app string, f passage) string {
	switch {
	case f.Link != "":
		return f.Link
	case o.Link == "":
		return o.address(app, f.ID)
	}
	segments := strings.Split(f.Path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	link := strings.NewReplacer("{path}", strings.Join(segments, "/"), "{anchor}", url.PathEscape(f.Anchor), "{id}", f.ID).Replace(o.Link)
	return strings.TrimSuffix(link, "#")
}

// address returns the gateway's own address of a passage.
func (o *Options) address(app, id string) string {
	return "/v1/apps/" + app + "/documents/" + o.ID + "/" + id
}
