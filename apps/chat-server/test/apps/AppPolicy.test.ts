import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as AppPolicy from "../../src/apps/AppPolicy.ts"

const OWN = ["chat.example", "apps.chat.example", "127.0.0.1"]
const KEYS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"]
const HOST = "http://127.0.0.1:4266"

const declaring = (declared: ReadonlyArray<Schema.Json>) =>
  AppPolicy.of({ csp: Object.fromEntries(KEYS.map((key) => [key, declared])) }, OWN)

/** Pieces of which hostile declarations are made. */
const PIECES = [
  "https://",
  "http://",
  "wss://",
  "//",
  "data:",
  "javascript:",
  "api.example.com",
  "*.example.com",
  "*",
  "localhost",
  "a.localhost",
  "127.0.0.1",
  "[::1]",
  "0x7f.1",
  "2130706433",
  "[::ffff:127.0.0.1]",
  "10.0.0.1",
  "chat.example",
  "*.example",
  "boocode",
  ":4266",
  ":*",
  "/",
  "/path",
  "?x",
  "#x",
  "@",
  "user:pass@",
  ";",
  " ",
  "'",
  "'self'",
  "'unsafe-eval'",
  "script-src *",
  ",",
  "\n",
  "\t",
  "\u00A0",
  "%20",
  "evil.com"
]

const Case = Schema.Array(Schema.Literals(PIECES)).check(Schema.isMaxLength(6))

const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9.-]+(?::\d+)?$|^(?:https?|wss?):\/\/\[[0-9a-f:]+\](?::\d+)?$/

describe("The policy of an app", () => {
  it.prop(
    "has nothing but origins that are public and not this server's, whatever is declared",
    [Arbitrary.schema(Case)],
    ([pieces]) => {
      const { base, connect, frame, load } = declaring([pieces.join("")])
      return [...base, ...connect, ...frame, ...load].every((origin) => {
        const { hostname } = new URL(origin.replace("*.", "x."))
        return ORIGIN.test(origin) && hostname.includes(".") &&
          !/^(127|10|0)(\.\d+){3}$|(^|\.)localhost$/.test(hostname) &&
          !OWN.includes(hostname) && !(origin.includes("*.") && OWN.some((own) => own.endsWith(hostname.slice(1))))
      })
    },
    { arbitrary: { runs: 2000 } }
  )

  it.prop(
    "has the same directives, each once, whatever is declared",
    [Arbitrary.schema(Case)],
    ([pieces]) => {
      const namesOf = (policy: AppPolicy.AppPolicy) =>
        AppPolicy.header(policy, [HOST]).split("; ").map((directive) => directive.split(" ")[0])
      return namesOf(declaring([pieces.join("")])).join() === namesOf(declaring([])).join()
    },
    { arbitrary: { runs: 500 } }
  )

  it("grants what is declared as a browser spells it, and not what is no origin, private or this server's", () => {
    const good = [
      "https://api.weather.com",
      "https://API.weather.com/",
      "wss://live.weather.com:8443",
      "https://*.tiles.example"
    ]
    const bad = [
      "http://localhost:4266",
      "http://127.0.0.1:4266",
      "http://[::1]:4266",
      "http://0x7f.0.0.1",
      "http://2130706433",
      "http://[::ffff:7f00:1]",
      "http://192.168.1.5",
      "http://0.0.0.0:4266",
      "https://chat.example",
      "https://apps.chat.example:8443",
      "https://*.example",
      "https://*.chat.example",
      "http://boocode:4266",
      "https://a.example; script-src *",
      "https://a.example 'unsafe-eval'",
      "'self'",
      "*",
      "data:",
      "https:",
      "https://a.example/path",
      "https://user@a.example",
      null,
      1,
      ["https://a.example"]
    ]
    assert.deepStrictEqual(declaring([...good, ...bad]).connect, [
      "https://*.tiles.example",
      "https://api.weather.com",
      "wss://live.weather.com:8443"
    ])
  })

  it("is that of a document with nothing but what is in it, where nothing is declared", () => {
    assert.strictEqual(
      AppPolicy.header(AppPolicy.of({}, OWN), [HOST]),
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; media-src data:; " +
        "font-src 'none'; connect-src 'none'; frame-src 'none'; base-uri 'none'; object-src 'none'; form-action 'none'; " +
        `frame-ancestors ${HOST}; sandbox allow-scripts allow-forms`
    )
  })

  it("lets an app write into the clipboard where it says so, and has no camera, microphone or place", () => {
    const permissions = { camera: {}, clipboardWrite: {}, geolocation: {}, microphone: {} }
    assert.isTrue(AppPolicy.of({ permissions }, OWN).clipboard)
    assert.isFalse(AppPolicy.of({ permissions: { camera: {} } }, OWN).clipboard)
  })
})
