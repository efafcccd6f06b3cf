import { UriTemplate } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as ResourceAccess from "../../src/tools/ResourceAccess.ts"

const MANY = { arbitrary: { runs: 300 } }

/** One character of a URI, or an expression: few of each, so that they meet. */
const Piece = Schema.Literals([
  "a",
  "b",
  "/",
  "?",
  "#",
  "&",
  ".",
  ";",
  "{x}",
  "{+x}",
  "{#x}",
  "{/x}",
  "{/x*}",
  "{/x,y}",
  "{?x}",
  "{&x,y}",
  "{.x}",
  "{;x}",
  "{x:3}"
])
const Template = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 6 }),
  (pieces) => pieces.join("")
)
const Uri = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", "/", "?", "#", "&", ".", ";"])), { maxLength: 7 }),
  (characters) => characters.join("")
)
const Server = Arbitrary.schema(Schema.Literals(["files", "notes", "web"]))

/** What each expression stands for, as a pattern that takes whatever time it takes. */
const PATTERNS: Readonly<Record<string, string>> = {
  "{x}": "[^/?#]+",
  "{x:3}": "[^/?#]+",
  "{+x}": "[^]+",
  "{#x}": "(#[^]*)?",
  "{/x}": "(/[^/?#]*)?",
  "{/x*}": "(/[^?#]*)?",
  "{/x,y}": "(/[^?#]*)?",
  "{?x}": "([?][^#]*)?",
  "{&x,y}": "(&[^#]*)?",
  "{.x}": "([.][^/?#]*)?",
  "{;x}": "(;[^/?#]*)?"
}

const asPattern = (template: string): RegExp => {
  const pieces = template.split(/(\{[^}]*\})/)
  const source = pieces.map((piece) => PATTERNS[piece] ?? piece.replaceAll(/[.?/]/g, "[$&]")).join("")
  return new RegExp(`^${source}$`)
}

/** What RFC 6570 makes of a template when every variable has this value. */
const expanded = (template: string, value: string): string =>
  template.replaceAll(/\{([+#./;?&]?)([^}]*)\}/g, (_, operator: string, names: string) => {
    const named = names.split(",").map((name) => {
      const variable = name.replace(/[*]|:\d+/, "")
      const own = name.includes(":") ? value.slice(0, 3) : value
      return ["?", "&", ";"].includes(operator) ? `${variable}=${own}` : own
    })
    const between = { "": ",", "+": ",", "#": ",", "?": "&" }[operator] ?? operator
    return `${operator === "+" ? "" : operator}${named.join(between)}`
  })

describe("A template of URIs", () => {
  it("fits what RFC 6570 makes of it", () => {
    const pairs = [
      ["memo://days/{day}", "memo://days/today"],
      ["memo://days/{day}", "memo://days/to%20day"],
      ["file:///{+path}", "file:///a/b c/d.txt"],
      ["db://{table}/{id}{?fields,limit}", "db://users/7?fields=name&limit=2"],
      ["db://{table}/{id}{?fields,limit}", "db://users/7"],
      ["web:/{/segments*}", "web://a/b/c"],
      ["doc{.format}{#part}", "doc.html#top"],
      ["plain", "plain"]
    ] as const
    for (const [template, uri] of pairs) assert.isTrue(UriTemplate.fits(template, uri), `${template} ${uri}`)
  })

  it("fits nothing else, and nothing at all when it is malformed or longer than anybody needs", () => {
    const pairs = [
      ["memo://days/{day}", "memo://days/"],
      ["memo://days/{day}", "memo://days/a/b"],
      ["memo://days/{day}", "memo://weeks/1"],
      ["memo://days/{day}", "x-memo://days/1"],
      ["memo://{day", "memo://{day"],
      ["memo://{da y}", "memo://x"],
      ["memo://{{day}}", "memo://x"],
      ["{+x}", "a".repeat(2001)],
      ["{+x}".repeat(17), "a".repeat(20)]
    ] as const
    for (const [template, uri] of pairs) assert.isFalse(UriTemplate.fits(template, uri), `${template} ${uri}`)
  })

  it.prop("fits exactly what a pattern of it matches", [Template, Uri], ([template, uri]) => {
    assert.strictEqual(UriTemplate.fits(template, uri), asPattern(template).test(uri), `${template} ${uri}`)
    return true
  }, MANY)

  it.prop("fits its own expansion, whatever is filled in", [
    Template,
    Arbitrary.schema(Schema.Literals(["a", "aa", "a-b_c~1", "%20"]))
  ], ([template, value]) => {
    assert.isTrue(UriTemplate.fits(template, expanded(template, value)), `${template} ${expanded(template, value)}`)
    return true
  }, MANY)

  it("is judged in linear time, however many ways there are to read a URI", () => {
    const template = `${"{+x}a".repeat(15)}{+x}b`
    for (let count = 0; count < 20; count++) assert.isFalse(UriTemplate.fits(template, "a".repeat(2000)))
  })
})

const Offers = Arbitrary.all({
  resources: Arbitrary.array(Arbitrary.all({ server: Server, uri: Uri }), { maxLength: 6 }),
  templates: Arbitrary.array(Arbitrary.all({ server: Server, uriTemplate: Template }), { maxLength: 4 })
})

const rotated = <A>(items: ReadonlyArray<A>, by: number): ReadonlyArray<A> =>
  items.map((_, index) => items[(index + by) % items.length]).flatMap((item) => item === undefined ? [] : [item])

describe("Routing by URI", () => {
  it("prefers who lists it to whose template fits, and names all who have an equal claim", () => {
    const templates = [{ server: "web", uriTemplate: "memo://{+rest}" }]
    const listed = (...servers: ReadonlyArray<string>) => servers.map((server) => ({ server, uri: "memo://a" }))
    assert.deepStrictEqual(ResourceAccess.route("memo://a", { resources: listed("notes"), templates }), {
      _tag: "One",
      server: "notes"
    })
    assert.deepStrictEqual(ResourceAccess.route("memo://b", { resources: listed("notes"), templates }), {
      _tag: "One",
      server: "web"
    })
    assert.deepStrictEqual(ResourceAccess.route("memo://a", { resources: listed("notes", "files"), templates }), {
      _tag: "Several",
      servers: ["files", "notes"]
    })
    assert.deepStrictEqual(ResourceAccess.route("mem://a", { resources: listed("notes"), templates: [] }), {
      _tag: "None",
      nearest: ["memo://a"]
    })
  })

  it.prop("is the same in whatever order servers are listed, and as often as they list one URI", [
    Uri,
    Offers,
    Arbitrary.schema(Schema.Literals([1, 2, 3]))
  ], ([uri, { resources, templates }, by]) => {
    const first = ResourceAccess.route(uri, { resources, templates })
    const turned = { resources: rotated(resources, by), templates: rotated(templates, by) }
    const doubled = { resources: [...resources, ...resources].toReversed(), templates: [...templates, ...templates] }
    assert.deepStrictEqual(ResourceAccess.route(uri, turned), first)
    assert.deepStrictEqual(ResourceAccess.route(uri, doubled), first)
    return true
  }, MANY)

  it.prop("leads to a server that claims the URI, to several only when each has an equal claim", [Uri, Offers], (
    [uri, { resources, templates }]
  ) => {
    const listing = new Set(resources.filter((one) => one.uri === uri).map(({ server }) => server))
    const fitting = new Set(
      templates.filter(({ uriTemplate }) => asPattern(uriTemplate).test(uri)).map(({ server }) => server)
    )
    const claims = [...(listing.size > 0 ? listing : fitting)].sort()
    const route = ResourceAccess.route(uri, { resources, templates })
    const servers = route._tag === "One" ? [route.server] : route._tag === "Several" ? route.servers : []
    assert.deepStrictEqual(servers, claims)
    assert.strictEqual(route._tag === "Several", claims.length > 1)
    return true
  }, MANY)
})
