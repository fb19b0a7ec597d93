// Builds docs/ into a static site with local search (make site). The pages stay plain Markdown:
// everything that only the site needs is here. README.md is the front page, and its headings and
// links are the sidebar, so a page is listed in one place. A link that leads to no page fails the build.
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const docs = join(here, '..')
const repository = 'https://github.com/askgate/askgate/blob/main/'

// Files next to the pages that they link to, published unchanged.
const published = ['openapi.yaml', 'examples', 'pictures']

// sidebar reads the front page: each "## " heading is a group of the pages that the rows below link to first.
function sidebar() {
  const groups = []
  for (const line of readFileSync(join(docs, 'README.md'), 'utf8').split('\n')) {
    const heading = line.match(/^## (.+)/)
    if (heading) groups.push({ text: heading[1], collapsed: false, items: [] })
    const link = line.match(/^- \[([^\]]+)\]\(([^)#]+)\.md\)/)
    if (link && !link[2].startsWith('../')) groups.at(-1).items.push({ text: link[1], link: '/' + link[2].replace(/README$/, '') })
  }
  return groups
}

// slugify makes the anchors that GitHub makes, so that one link works in both places.
const slugify = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')

// elsewhere points links that leave the site (../CONTRIBUTING.md, ../deploy) to the repository, and those to
// published files past the router.
function elsewhere(md) {
  const open = md.renderer.rules.link_open ?? ((tokens, i, options, env, self) => self.renderToken(tokens, i, options))
  md.renderer.rules.link_open = (tokens, i, options, env, self) => {
    const href = tokens[i].attrGet('href')
    if (!/^(#|[a-z]+:)/.test(href)) {
      const to = posix.join(posix.dirname(env.relativePath), href)
      if (to.startsWith('../')) tokens[i].attrSet('href', repository + to.slice(3))
      else if (published.includes(to.split(/[/#]/)[0])) {
        tokens[i].attrSet('target', '_self')
        return self.renderToken(tokens, i, options)
      }
    }
    return open(tokens, i, options, env, self)
  }
}

// braces keeps Vue from reading {{ }} in the pages' text as code.
function braces(md) {
  for (const rule of ['text', 'code_inline']) {
    const plain = md.renderer.rules[rule]
    md.renderer.rules[rule] = (...args) => plain(...args).replaceAll('{{', '&#123;&#123;')
  }
}

export default {
  title: 'AskGate',
  description: 'A self-hosted chat gateway whose model asks the person instead of guessing',
  rewrites: { 'README.md': 'index.md', 'tools/README.md': 'tools/index.md', 'fronts/README.md': 'fronts/index.md' },
  srcExclude: ['examples/**', 'pictures/**'],
  markdown: {
    anchor: { slugify },
    config(md) {
      elsewhere(md)
      braces(md)
    },
  },
  vite: { resolve: { alias: { vue: join(here, 'node_modules', 'vue') } } }, // for pages, which lie above node_modules
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    footer: { message: 'All rights reserved for now.' },
  },
  buildEnd(site) {
    for (const name of published) cpSync(join(docs, name), join(site.outDir, name), { recursive: true })
  },
}
