package mail

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The styles of a message. Mail programs ignore style sheets.
const (
	wideStyle   = "margin: 0 0 16px;"
	lineStyle   = "margin: 8px 0;"
	smallStyle  = "font-size: 14px;"
	codeStyle   = "font-family: Menlo, Consolas, monospace;"
	bodyStyle   = "margin: 0; padding: 24px; font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; font-size: 16px; line-height: 1.5;"
	columnStyle = "max-width: 600px; margin: 0 auto; overflow-wrap: break-word; word-break: break-word;"
	quoteStyle  = "margin: 0 0 16px; padding: 4px 0 4px 16px; border-left: 4px solid #9ca3af;"
	optionStyle = "display: inline-block; box-sizing: border-box; max-width: 100%; padding: 8px 16px; border: 1px solid; border-radius: 8px; text-decoration: none;"
	buttonStyle = "display: inline-block; padding: 10px 20px; border-radius: 8px; background: #1d4ed8; color: #ffffff; text-decoration: none; font-weight: 600;"
	notesStyle  = "margin: 0; padding-top: 12px; border-top: 1px solid #9ca3af; font-size: 13px;"
)

// page returns the message as HTML, which loads nothing and has no script. It is a tree of nodes, not
// a template: rendering the tree escapes every text and attribute (see locales.render about templates).
func (all *said) page() (string, error) {
	column := element(atom.Div, attributes{"style": columnStyle})
	add := func(nodes ...*html.Node) { appendTo(column, nodes...) }
	if all.Reminder != "" {
		add(paragraph("margin: 0 0 8px;", element(atom.Strong, nil, text(all.Reminder))))
	}
	add(mixed(element(atom.P, attributes{"style": wideStyle}, text(all.Headline))))
	if all.Texts {
		add(all.quote())
	}
	for _, words := range []string{all.Choose, all.Cut} {
		if words != "" {
			add(paragraph(wideStyle+" "+smallStyle, text(words)))
		}
	}
	if all.Deadline != "" {
		add(paragraph(wideStyle, text(all.Deadline)))
	}
	add(paragraph("margin: 0 0 24px;", element(atom.A, attributes{"href": all.Link, "style": buttonStyle}, text(all.Label))))
	add(paragraph(notesStyle, broken(all.Notes)...))

	root := element(atom.Html, attributes{"lang": all.Language},
		element(atom.Head, nil,
			element(atom.Meta, attributes{"charset": "utf-8"}),
			element(atom.Meta, attributes{"name": "viewport", "content": "width=device-width, initial-scale=1"}),
			element(atom.Meta, attributes{"name": "color-scheme", "content": "light dark"}),
			element(atom.Title, nil, text(all.Headline))),
		element(atom.Body, attributes{"style": bodyStyle}, column))
	document := &html.Node{Type: html.DocumentNode}
	appendTo(document, &html.Node{Type: html.DoctypeNode, Data: "html"}, root)
	var b strings.Builder
	err := html.Render(&b, document)
	return b.String(), err
}

// quote returns what was asked.
func (all *said) quote() *html.Node {
	quote := element(atom.Div, attributes{"style": quoteStyle})
	for _, q := range all.Questions {
		words := lined(q.Text)
		if q.Number > 0 {
			words = append([]*html.Node{text(fmt.Sprintf("%d. ", q.Number))}, words...)
		}
		appendTo(quote, mixed(paragraph(lineStyle+" font-size: 18px;", element(atom.Strong, nil, words...))))
		if q.Context != "" {
			appendTo(quote, mixed(paragraph(lineStyle, lined(q.Context)...)))
		}
		appendTo(quote, listed(q.Options, q.More)...)
	}
	for _, warning := range all.Warnings {
		appendTo(quote, mixed(paragraph(lineStyle, element(atom.Strong, nil, lined(warning)...))))
	}
	if all.Details != "" {
		details := element(atom.P, attributes{"dir": "ltr", "style": lineStyle + " " + codeStyle + " " + smallStyle + " white-space: pre-wrap;"}, lined(all.Details)...)
		appendTo(quote, details)
	}
	if c := all.Call; c != nil {
		appendTo(quote, paragraph(lineStyle, text(c.Label+" "), element(atom.Code, attributes{"style": codeStyle}, text(c.Tool))))
		if c.None != "" {
			appendTo(quote, paragraph(lineStyle, text(c.None)))
		}
		for _, a := range c.Arguments {
			appendTo(quote, paragraph(lineStyle,
				mixed(element(atom.Span, attributes{"style": smallStyle}, text(a.Title))), element(atom.Br, nil),
				mixed(element(atom.Span, attributes{"style": codeStyle + " " + smallStyle + " white-space: pre-wrap;"}, lined(a.Text)...))))
		}
	}
	appendTo(quote, listed(all.Options, all.More)...)
	return quote
}

// listed returns options, each with its link if it has one.
func listed(options []option, more string) (nodes []*html.Node) {
	if len(options) > 0 {
		list := element(atom.Ul, attributes{"style": "margin: 12px 0 8px; padding: 0; list-style: none;"})
		for _, o := range options {
			label := text("• " + o.Label)
			if o.Link != "" {
				label = element(atom.A, attributes{"href": o.Link, "style": optionStyle}, text(o.Label))
			}
			item := mixed(element(atom.Li, attributes{"style": "margin: 0 0 8px;"}, label))
			if o.Description != "" {
				appendTo(item, element(atom.Br, nil), element(atom.Span, attributes{"style": smallStyle}, text(o.Description)))
			}
			appendTo(list, item)
		}
		nodes = append(nodes, list)
	}
	if more != "" {
		nodes = append(nodes, paragraph(lineStyle+" "+smallStyle, text(more)))
	}
	return nodes
}

type attributes map[string]string

// attributeOrder is the order in which attributes are written.
var attributeOrder = []string{"lang", "charset", "name", "content", "dir", "href", "style"}

func element(tag atom.Atom, with attributes, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, DataAtom: tag, Data: tag.String()}
	for _, key := range attributeOrder {
		if value, ok := with[key]; ok {
			n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
		}
	}
	appendTo(n, children...)
	return n
}

func appendTo(parent *html.Node, children ...*html.Node) {
	for _, child := range children {
		parent.AppendChild(child)
	}
}

func text(words string) *html.Node { return &html.Node{Type: html.TextNode, Data: words} }

func paragraph(style string, children ...*html.Node) *html.Node {
	return element(atom.P, attributes{"style": style}, children...)
}

// mixed marks an element whose first strong letter decides its direction.
func mixed(n *html.Node) *html.Node {
	n.Attr = append([]html.Attribute{{Key: "dir", Val: "auto"}}, n.Attr...)
	return n
}

// lined returns a text with its line breaks.
func lined(words string) []*html.Node { return broken(lines(words)) }

// broken returns lines with breaks between them.
func broken(lines []string) (nodes []*html.Node) {
	for i, line := range lines {
		if i > 0 {
			nodes = append(nodes, element(atom.Br, nil))
		}
		nodes = append(nodes, text(line))
	}
	return nodes
}
