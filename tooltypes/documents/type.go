package documents

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const maxInclude = 50

var defaultInclude = []string{"**/*.md", "**/*.html", "**/*.txt", "**/*.jsonl"}

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
		Members: func(*config.Tool) int { return members },
		Lists: func(t *config.Tool, id string) string {
			if id != t.ID+searchSuffix {
				return "it lists nothing; name " + t.ID + searchSuffix
			}
			return ""
		},
		Shown: func(t *config.Tool) config.Shown { return config.Shown{State: shelf.state(t.ID)} },
		New: func(app *config.App, entry *config.Tool) (tools.Tool, error) {
			o := *entry.Own.(*Options)
			o.ID, o.About = entry.ID, entry.Description
			return shelf.Tool(app.ID, o)
		},
	}
}

func (o *Options) keys() []config.Key {
	return []config.Key{
		config.FolderKey("path", &o.Folder, "the [folder of texts](tools/documents.md), relative to the configuration directory. It is offered as `<id>__search` and `<id>__read`; the `id` has at most 32 characters, and no `__`").Must(`name the folder, like "laws"`),
		config.Words("include", &o.Include, maxInclude, isPattern, "which of its files to index: `**` stands for any folders, `*` for part of a name"),
		config.Filled("link", &o.Link, isLink, "where people read a passage: an address with `{path}`, `{anchor}` and `{id}`").Unset("the passage's own address"),
		config.Filled("title", &o.Title, isTitle, "where a document's title is: a JSON pointer into a line of `.jsonl`, or an HTML selector").Unset("`title`, and the first heading"),
	}
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
