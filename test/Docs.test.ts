/** The documents: each has its place on the site, and every link leads somewhere. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { anchorOf } from "../docs/.vitepress/Anchor.ts"
import { sidebar } from "../docs/.vitepress/Sidebar.ts"
import { CHECKOUT } from "./support/Command.ts"

const DOCS = join(CHECKOUT, "docs")

const files = (...patterns: ReadonlyArray<string>) =>
  globSync(patterns, { cwd: CHECKOUT, exclude: ["**/node_modules/**", "docs/reference/**"] }).toSorted()

const pages = files("docs/**/*.md")

/** A text without what only looks like links and headings: blocks and words of code. */
const proseOf = (file: string) =>
  readFileSync(join(CHECKOUT, file), "utf8").replaceAll(/^ *```[^]*?^ *```$/gm, "").replaceAll(
    /^---\n[^]*?\n---\n/g,
    ""
  )

const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set([...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)))

/** The links of a file to files and headings of the checkout, as they are written. */
const linksOf = (file: string): ReadonlyArray<string> =>
  [...proseOf(file).replaceAll(/`[^`\n]*`/g, "code").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^\w+:/.test(link))

/** Why a link leads nowhere; null when it leads somewhere. */
const troubleOf = (file: string, link: string): string | null => {
  const [path = "", anchor] = link.split("#")
  const target = path === "" ? join(CHECKOUT, file) : resolve(CHECKOUT, file, "..", path)
  if (!existsSync(target)) return "no such file"
  if (file.startsWith("docs/") && relative(DOCS, target).startsWith("..")) return "not a page of the site"
  if (anchor === undefined || !target.endsWith(".md")) return null
  return anchorsOf(relative(CHECKOUT, target)).has(anchor) ? null : "no such heading"
}

/** The page of the site at this address, as its file. */
const fileOf = (link: string) => `docs${link}.md`

describe("The documents", () => {
  it("each have one place in the sidebar, but for the front page", () => {
    const listed = sidebar.flatMap(({ items }) => items).map(({ link }) => fileOf(link))
    assert.deepStrictEqual(listed.toSorted(), pages.filter((page) => page !== "docs/index.md"))
  })

  it("have links that lead to a file and to a heading of it", () => {
    const all = [...pages, ...files("*.md", "{packages,apps}/*/README.md", "{bench,deploy,test}/**/*.md")]
    const wrong = all.flatMap((file) =>
      linksOf(file).map((link) => [link, troubleOf(file, link)]).filter(([, trouble]) => trouble !== null).map(
        ([link, trouble]) => `${file}: ${link}: ${trouble}`
      )
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("are where the front page of the site leads", () => {
    const front = readFileSync(join(DOCS, "index.md"), "utf8")
    const links = [...front.matchAll(/link: (\/\S+)/g)].map(([, link = ""]) => link)
    const pagesOfIt = links.filter((link) => link !== "/reference/")
    assert.isAbove(pagesOfIt.length, 4)
    assert.deepStrictEqual(pagesOfIt.filter((link) => !pages.includes(fileOf(link))), [])
  })
})
