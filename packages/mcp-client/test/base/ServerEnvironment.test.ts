import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as ServerEnvironment from "../../src/base/ServerEnvironment.ts"
import { MARKER_VARIABLE } from "../../src/index.ts"
import { stdio } from "../support/ServerConfigs.ts"

const make = (options: {
  readonly host?: Readonly<Record<string, string | undefined>>
  readonly env?: Readonly<Record<string, string>>
  readonly inheritEnv?: ReadonlyArray<string>
  readonly searchAfterPath?: ReadonlyArray<string>
  readonly delimiter?: string
}) =>
  ServerEnvironment.make({
    stdio: stdio(options),
    host: options.host ?? {},
    marker: "m1",
    searchAfterPath: options.searchAfterPath ?? [],
    delimiter: options.delimiter ?? ":"
  })

/** What the process sees. */
const seen = ({ variables }: ServerEnvironment.ServerEnvironment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, typeof value === "string" ? value : Redacted.value(value)])
  )

describe("ServerEnvironment", () => {
  it("gives a server the safe list and what its entry declares, nothing else of the host (Decision 15, R74)", () => {
    const safe = {
      HOME: "/home/a",
      LOGNAME: "a",
      PATH: "/bin",
      SHELL: "/bin/sh",
      TERM: "xterm",
      USER: "a",
      LANG: "C",
      LC_ALL: "C",
      LC_TIME: "C",
      TMPDIR: "/tmp",
      TZ: "UTC",
      NODE_EXTRA_CA_CERTS: "/etc/ssl/own.pem"
    }
    const host = { ...safe, SECRET: "x", OPENAI_API_KEY: "x", NODE_OPTIONS: "x", LD_PRELOAD: "x", HOMEX: "x", LCX: "x" }
    assert.deepStrictEqual(seen(make({ host, env: { ONE: "1" } })), { ...safe, ONE: "1", [MARKER_VARIABLE]: "m1" })
  })

  it.prop(
    "passes on no other variable of the host, whatever its name (R74)",
    [Schema.Record(Schema.String, Schema.String)],
    ([host]) => {
      const allowed = new Set([...ServerEnvironment.SAFE_LIST, MARKER_VARIABLE])
      return Object.keys(seen(make({ host }))).every((name) =>
        allowed.has(name.toUpperCase()) || name.startsWith("LC_")
      )
    }
  )

  it("passes on what `inheritEnv` names, by its exact name (R74)", () => {
    const host = { PROXY: "p", proxy: "q", OTHER: "o" }
    assert.deepStrictEqual(seen(make({ host, inheritEnv: ["PROXY", "ABSENT"] })), {
      PROXY: "p",
      PATH: "",
      [MARKER_VARIABLE]: "m1"
    })
  })

  it("lets the entry's value win over the host's", () => {
    const found = seen(make({ host: { HOME: "/home/a", X: "1" }, env: { HOME: "/opt", X: "2" }, inheritEnv: ["X"] }))
    assert.strictEqual(found["HOME"], "/opt")
    assert.strictEqual(found["X"], "2")
  })

  it("keeps the entry's values redacted (Decision 15)", () => {
    const { variables } = make({ env: { KEY: "canary-4711" } })
    assert.isTrue(Redacted.isRedacted(variables["KEY"]))
    assert.notInclude(JSON.stringify(variables), "canary-4711")
  })

  it("searches the given folders after PATH, each once", () => {
    const found = make({ host: { PATH: "/a:/b" }, searchAfterPath: ["/app/node_modules/.bin", "/a"] })
    assert.deepStrictEqual(found.searched, ["/a", "/b", "/app/node_modules/.bin"])
    assert.strictEqual(found.variables["PATH"], "/a:/b:/app/node_modules/.bin")
  })

  it("takes PATH from the entry where it has one", () => {
    const found = make({ host: { PATH: "/host" }, env: { PATH: "/own" }, searchAfterPath: ["/bin2"] })
    assert.deepStrictEqual(found.searched, ["/own", "/bin2"])
    assert.strictEqual(seen(found)["PATH"], "/own:/bin2")
  })

  it("never searches the current folder for an empty part of PATH", () => {
    assert.deepStrictEqual(make({ host: { PATH: ":/a::/b:" } }).searched, ["/a", "/b"])
    assert.deepStrictEqual(make({ host: {} }).searched, [])
  })

  it("cuts PATH at the platform's delimiter", () => {
    assert.deepStrictEqual(make({ host: { PATH: "C:\\a;D:\\b" }, delimiter: ";" }).searched, ["C:\\a", "D:\\b"])
  })

  it("gives its own marker to a server, whatever host and entry say (Decision 6)", () => {
    const own = { [MARKER_VARIABLE]: "forged" }
    const found = make({ host: own, env: own, inheritEnv: [MARKER_VARIABLE] })
    assert.strictEqual(found.variables[MARKER_VARIABLE], "m1")
  })

  it("leaves out a variable that the host does not have", () => {
    assert.notProperty(make({ host: { HOME: undefined } }).variables, "HOME")
  })
})
