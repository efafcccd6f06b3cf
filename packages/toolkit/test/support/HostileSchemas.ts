/** Input schemas that servers send or could send, and that one provider or another refuses or chokes on. */
import type * as Schema from "effect/Schema"

export interface Hostile {
  /** What is hostile about it. */
  readonly name: string
  readonly schema: Schema.JsonObject
}

type Json = Schema.Json
type JsonObject = Schema.JsonObject

const text: JsonObject = { type: "string" }
const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest })
const branch = (name: string): JsonObject => object({ [name]: text }, { required: [name] })
const many = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, i) => make(i))
const fields = (count: number, make: (index: number) => Json): JsonObject =>
  Object.fromEntries(many(count, (index) => [`field_${index}`, make(index)]))

/** `wrap` around `inner`, that many times. */
const nested = (times: number, inner: JsonObject, wrap: (inner: JsonObject) => JsonObject): JsonObject => {
  let schema = inner
  for (let index = 0; index < times; index++) schema = wrap(schema)
  return schema
}

/** As a message brings them: `__proto__` is a property like any other there. */
const parsed = (json: string): JsonObject => JSON.parse(json)

const roots: Readonly<Record<string, JsonObject>> = {
  "nothing at all": {},
  "an object without properties": { type: "object" },
  "an object with no properties": object({}),
  "an object that takes no properties": { type: "object", additionalProperties: false },
  "no parameters and a draft": {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "EmptyObject",
    type: "object"
  },
  "properties without a type": { properties: { a: text }, required: ["a"] },
  "oneOf of objects at the root": { oneOf: [branch("a"), branch("b")] },
  "anyOf that only requires at the root": object({ a: text, b: text }, {
    anyOf: [{ required: ["a"] }, { required: ["b"] }]
  }),
  "allOf at the root": { allOf: [branch("a"), branch("b")] },
  "allOf of conditions at the root": object({ kind: text, a: text }, {
    allOf: [{ if: { properties: { kind: { const: "x" } } }, then: { required: ["a"] } }]
  }),
  "oneOf in anyOf in allOf at the root": { allOf: [{ anyOf: [{ oneOf: [branch("a"), branch("b")] }, branch("c")] }] },
  "not at the root": object({ a: text, b: text }, { not: { required: ["a", "b"] } }),
  "enum at the root": { type: "object", enum: [{ a: 1 }, { a: 2 }] },
  "const at the root": { const: { a: 1 } },
  "a condition at the root": object({ a: text, b: text }, {
    if: { required: ["a"] },
    then: { required: ["b"] },
    else: { properties: { c: text } }
  }),
  "a reference at the root": { $ref: "#/$defs/Args", $defs: { Args: branch("a") } },
  "a reference to itself at the root": { $ref: "#" },
  "two references to each other at the root": {
    $ref: "#/$defs/A",
    $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } }
  },
  "a text at the root": text,
  "a list at the root": { type: "array", items: text },
  "an object or null at the root": { type: ["object", "null"], properties: { a: text } },
  "required names what is no property": object({ a: text }, { required: ["a", "ghost"] }),
  "the same name required twice": object({ a: text }, { required: ["a", "a"] }),
  "every property free": { type: "object", additionalProperties: true },
  "properties by pattern only": { type: "object", patternProperties: { "^x-": text }, propertyNames: { maxLength: 9 } },
  "properties that depend on each other": object({ a: text, b: text }, {
    dependentRequired: { a: ["b"] },
    dependentSchemas: { b: { required: ["a"] } },
    dependencies: { a: ["b"] }
  })
}

const references: Readonly<Record<string, JsonObject>> = {
  "a tree by reference to the root": object({ name: text, children: { type: "array", items: { $ref: "#" } } }, {
    required: ["name"]
  }),
  "a tree by definition": object({ tree: { $ref: "#/$defs/Node" } }, {
    $defs: { Node: object({ next: { $ref: "#/$defs/Node" }, value: text }, { required: ["value"] }) }
  }),
  "a cycle that has to be gone through": object({ a: { $ref: "#/$defs/A" } }, {
    required: ["a"],
    $defs: {
      A: object({ b: { $ref: "#/$defs/B" } }, { required: ["b"] }),
      B: object({ a: { $ref: "#/$defs/A" } }, { required: ["a"] })
    }
  }),
  "three definitions in a circle": object({ a: { $ref: "#/$defs/A" } }, {
    $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/C" }, C: { $ref: "#/$defs/A" } }
  }),
  "a reference into properties": object({ from: { type: "array", items: text }, to: { $ref: "#/properties/from" } }),
  "a reference into a branch of a union": object({
    filter: {
      anyOf: [object({ op: text, filters: { type: "array", items: { $ref: "#/properties/filter/anyOf/0" } } }), text]
    }
  }),
  "an escaped reference": object({ a: { $ref: "#/$defs/a~1b~0c%20d" } }, { $defs: { "a/b~c d": text } }),
  "a reference to a remote schema": object({ a: { $ref: "https://example.com/schema.json#/definitions/A" } }),
  "a reference to a file": object({ a: { $ref: "file:///etc/passwd" } }),
  "a reference to nothing": object({ a: { $ref: "#/$defs/Missing" }, b: { $ref: "#/$defs/Missing/deeper" } }),
  "a reference by anchor": object({ a: { $ref: "#thing" } }, { $defs: { Thing: { $anchor: "thing", ...text } } }),
  "a dynamic reference": object({ a: { $dynamicRef: "#node" } }, { $dynamicAnchor: "node" }),
  "a reference that is not a text": object({ a: { $ref: 7 } }),
  "a reference with a description and a default": object({
    a: { $ref: "#/definitions/A", description: "An A", default: "x" }
  }, {
    definitions: { A: { type: "string", enum: ["x", "y"] } }
  }),
  "a union of references": object({
    target: { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }, { type: "null" }] }
  }, {
    $defs: { A: branch("a"), B: branch("b") }
  }),
  "a definition with a property called $ref": object({ a: object({ $ref: text }) }),
  "references that double 40 times": object({ a: { $ref: "#/$defs/d40" } }, {
    $defs: Object.fromEntries(many(41, (index) => [
      `d${index}`,
      index === 0 ? text : object({ l: { $ref: `#/$defs/d${index - 1}` }, r: { $ref: `#/$defs/d${index - 1}` } })
    ]))
  }),
  "a chain of 2,000 references": object({ a: { $ref: "#/$defs/d2000" } }, {
    $defs: Object.fromEntries(
      many(2001, (index) => [`d${index}`, index === 0 ? text : { $ref: `#/$defs/d${index - 1}` }])
    )
  })
}

const drafts: Readonly<Record<string, JsonObject>> = {
  "a tuple of draft 7": object({
    point: { type: "array", items: [{ type: "number" }, { type: "number" }], additionalItems: false }
  }),
  "a tuple of 2020-12": object({ point: { type: "array", prefixItems: [{ type: "number" }, text], items: false } }),
  "exclusiveMinimum of draft 4": object({
    ttl: { type: "integer", minimum: 0, exclusiveMinimum: true, exclusiveMaximum: false }
  }),
  "exclusiveMinimum of 2020-12": object({
    limit: { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 100, default: 10 }
  }),
  "id and definitions of draft 4": object({ a: { $ref: "#/definitions/A" } }, {
    id: "urn:x",
    definitions: { A: { id: "#a", ...text } }
  }),
  "boolean schemas": object({ anything: true, nothing: false }, { additionalProperties: false }),
  "boolean schemas in lists": object({
    a: { type: "array", items: true },
    b: { anyOf: [true, text] },
    c: { not: false }
  }),
  "nullable of OpenAPI": object({ a: { type: "string", nullable: true }, b: object({ c: text }, { nullable: true }) }),
  "a discriminator of OpenAPI": object({
    pet: {
      oneOf: [branch("cat"), branch("dog")],
      discriminator: { propertyName: "kind" },
      example: { cat: "Tom" },
      xml: {}
    }
  }),
  "keywords nobody knows": object({
    a: { type: "string", "x-order": 1, optional: true, endsWith: "z", enumDescriptions: ["A"] }
  })
}

const types: Readonly<Record<string, JsonObject>> = {
  "type lists": object({ a: { type: ["string", "null"] }, b: { type: ["integer", "string", "boolean"] } }),
  "a type list with an object": object({ a: { type: ["object", "null"], properties: { b: text }, required: ["b"] } }),
  "a type list with an array without items": object({ a: { type: ["string", "array"] } }),
  "every type": object({ a: { type: ["null", "boolean", "number", "integer", "string", "array", "object"] } }),
  "null alone": object({ a: { type: "null" } }),
  "no type at all": object({ a: {}, b: { description: "Anything" }, c: { title: "C" } }),
  "an array without items": object({ tags: { type: "array" }, deep: { type: "array", items: { type: "array" } } }),
  "arrays without items in unions": object({
    a: { anyOf: [{ type: "array" }, text, object({ b: { oneOf: [{ type: "array" }, text] } })] }
  }),
  "objects without properties inside": object({
    a: { type: "object" },
    b: { type: "array", items: { type: "object" } }
  }),
  "a map": object({ env: { type: "object", additionalProperties: text } }),
  "a union with null": object({
    a: { anyOf: [text, { type: "null" }], default: null },
    b: { oneOf: [{ type: "integer" }, { type: "null" }] }
  }),
  "a union of one": object({ a: { anyOf: [text] }, b: { allOf: [{ type: "integer" }] } }),
  "a union beside properties": object({ a: object({ b: text }, { anyOf: [{ required: ["b"] }, { required: [] }] }) }),
  "constants": object({
    a: { const: "x" },
    b: { const: 7 },
    c: { const: null },
    d: { const: { e: [1] } },
    f: { anyOf: [{ const: "x" }, { const: "y" }] }
  }),
  "mixed enums": object({
    a: { enum: ["x", 1, null, true, { b: 1 }] },
    b: { type: "integer", enum: [1, 2] },
    c: { type: "boolean", enum: [true] }
  }),
  "an enum with nothing in it": object({ a: { type: "string", enum: [] }, b: { type: "string", enum: ["", "x"] } }),
  "an enum with a value twice": object({ a: { type: "string", enum: ["x", "x"] } }),
  "formats": object(
    fields(
      12,
      (index) => ({ type: "string", format: ["uri", "email", "date", "uuid", "byte", "nonsense"][index % 6] ?? "" })
    )
  ),
  "formats of numbers": object({ a: { type: "integer", format: "int64" }, b: { type: "number", format: "decimal" } }),
  "encoded contents": object({
    file: { type: "string", contentEncoding: "base64", contentMediaType: "image/png", contentSchema: text },
    contentEncoding: text,
    contentMediaType: { type: "string", contentMediaType: "text/plain" }
  }),
  "patterns that Python cannot read": object({
    a: { type: "string", pattern: "^(?!__)[^\\p{Cc}]{1,200}$" },
    b: { type: "string", pattern: "(?<year>\\d{4})" }
  }),
  "patterns that are none": object({ a: { type: "string", pattern: "([" }, b: { type: "string", pattern: "(a+)+$" } }),
  "negation": object({ a: { not: text }, b: { type: "string", not: { enum: ["x"] } } })
}

const names: Readonly<Record<string, JsonObject>> = {
  "names with brackets": object({ "uids[]": text, "filter[name]": text, "a[]": text, "a__": text }, {
    required: ["uids[]"]
  }),
  "names with dollars and dots": object({ "$.xgafv": text, $schema: text, "page.size": text, "": text }, {
    required: ["$.xgafv"]
  }),
  "names that collide when made legal": object({ "a[]": text, "a{}": text, a__: text, "a  ": text, a_: text }),
  "names of 80 characters that differ at the end": object({
    [`${"x".repeat(79)}1`]: text,
    [`${"x".repeat(79)}2`]: text
  }),
  "names of keywords": object({
    type: text,
    properties: { type: "object" },
    required: { type: "boolean" },
    items: { type: "array", items: text },
    enum: text,
    anyOf: text,
    $ref: text,
    $defs: text,
    const: text,
    nullable: text,
    format: text,
    description: text,
    additionalProperties: { type: "boolean" }
  }, { required: ["type", "properties", "required"] }),
  "names of keywords inside": object({
    schema: object({ type: text, items: { type: "array", items: object({ required: text }) } })
  }),
  "a name of ours": object({ _placeholder: text }),
  "names that every object has": parsed(
    `{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"}},"required":["__proto__"]}`
  ),
  "names in other letters": object({ naïve: text, 名前: text, "😀": text, "a b": text, "1st": text }),
  "bad names inside": object({ filter: object({ "a[]": text, "$gt": { type: "integer" } }, { required: ["a[]"] }) }),
  "a name of 100,000 characters": object({ ["n".repeat(100_000)]: text })
}

const bombs: Readonly<Record<string, JsonObject>> = {
  "1,000 objects deep": nested(1000, text, (inner) => object({ a: inner }, { required: ["a"] })),
  "1,000 lists deep": object({ a: nested(1000, text, (items) => ({ type: "array", items })) }),
  "1,000 unions deep": object({ a: nested(1000, text, (inner) => ({ anyOf: [inner, { type: "null" }] })) }),
  "12 objects deep": nested(12, text, (inner) => object({ a: inner }, { required: ["a"] })),
  "10,000 properties": object(fields(10_000, () => text)),
  "3,000 properties, each with 100 words' worth": object(
    fields(3000, () => ({ type: "string", description: "d".repeat(500) }))
  ),
  "5,000 enum values": object({ a: { type: "string", enum: many(5000, (index) => `value ${index}`) } }),
  "a description of 100 kB": object({ a: { type: "string", description: "word ".repeat(20_000) } }, {
    description: "word ".repeat(20_000)
  }),
  "examples of 100 kB": object({
    a: { type: "string", examples: many(1000, () => "x".repeat(100)), default: "y".repeat(1000) }
  }),
  "a union of 300 objects": object({ a: { oneOf: many(300, (index) => branch(`a${index}`)) } }),
  "unions in unions": object({
    a: nested(8, text, (inner) => ({ anyOf: [inner, { oneOf: [inner, { type: "integer" }] }] }))
  }),
  "allOf in allOf": object({ a: nested(20, branch("x"), (inner) => ({ allOf: [inner, branch("y")] })) })
}

const junk: Readonly<Record<string, JsonObject>> = {
  "a type that is a number": object({ a: { type: 7 } }, { type: 7 }),
  "a type that nobody knows": object({ a: { type: "text" }, b: { type: "any" }, c: { type: ["string", "str"] } }),
  "properties that are a list": { type: "object", properties: [] },
  "properties that are null": { type: "object", properties: null, required: null },
  "properties that are no schemas": object({ a: "string", b: 7, c: null, d: [], type: "object" }),
  "required that is a text": object({ a: text }, { required: "a" }),
  "required on a property, as true": object({ a: { type: "string", required: true } }),
  "items that are null": object({ a: { type: "array", items: null }, b: { type: "array", items: "string" } }),
  "unions that are none": object({ a: { anyOf: {} }, b: { oneOf: [] }, c: { allOf: "x" }, d: { anyOf: [7, null] } }),
  "definitions that are none": object({ a: { $ref: "#/$defs/A" } }, { $defs: [text] }),
  "an enum that is a text": object({ a: { enum: "x" }, b: { enum: { x: 1 } } }),
  "descriptions that are none": object({ a: { type: "string", description: null, title: 7 } }, { description: ["x"] }),
  "limits that are none": object({
    a: { type: "integer", minimum: "0", maximum: null },
    b: { type: "string", minLength: -1, maxLength: 1.5 }
  }),
  "a schema around a schema": { schema: object({ a: text }) },
  "half characters": object({ a: { type: "string", description: "\ud83d", enum: ["\udc00"] }, "\ud800": text })
}

/** Every hostile schema. */
export const hostile: ReadonlyArray<Hostile> = Object.entries({
  ...roots,
  ...references,
  ...drafts,
  ...types,
  ...names,
  ...bombs,
  ...junk
}).map(([name, schema]) => ({ name, schema }))
