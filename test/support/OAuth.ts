/** The MCP server that wants a token, its authorization server, and a person with a browser. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Compiled from "./Compiled.ts"

export interface OAuth {
  /** The address of the MCP server. */
  readonly mcp: string
  readonly issuer: string
  /** What was asked for how often, of both. */
  readonly counters: Effect.Effect<Readonly<Record<string, number>>>
  /** `expire` ends all access tokens, `forget` the refresh tokens too, `slow/MILLIS` makes token requests take so long. */
  readonly tell: (what: "expire" | "forget" | `slow/${number}`) => Effect.Effect<void>
}

const FILE = fileURLToPath(new URL("../servers/OAuth.ts", import.meta.url))

const Started = Schema.fromJsonString(Schema.Struct({ mcp: Schema.String, issuer: Schema.String }))
const readCounters = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Number))

/** Both, in a process of their own until the scope closes. */
export const serve = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = spawn(process.execPath, [...Compiled.FLAGS, FILE], { stdio: ["ignore", "pipe", "pipe"] })
    let trouble = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      trouble += text
    })
    const ended = once(child, "exit").then(() => Promise.reject(new Error(trouble)))
    const [line] = await Promise.race([once(child.stdout, "data"), ended])
    ended.catch(() => {})
    const { issuer, mcp } = Schema.decodeUnknownSync(Started)(String(line))
    const ask = async (path: string) => (await fetch(new URL(path, mcp))).json()
    const oauth: OAuth = {
      mcp,
      issuer,
      counters: Effect.promise(async () => readCounters(await ask("/counters"))),
      tell: (what) => Effect.promise(async () => void await ask(`/${what}`))
    }
    return { child, oauth }
  }),
  ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
).pipe(Effect.map(({ oauth }) => oauth))

/** Goes where an authorization URL leads, as a person who says yes does, up to the address that it comes back to. */
export const consent = (url: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { origin } = new URL(url)
    const cookies = new Map<string, string>()
    let next = new URL(url)
    while (next.origin === origin) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const answer = await fetch(next, { redirect: "manual", headers: { cookie } })
      for (const set of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        cookies.set(name, value)
      }
      const location = answer.headers.get("location")
      if (location === null) throw new Error(`${next.pathname} answers ${answer.status}: ${await answer.text()}`)
      next = new URL(location, next)
    }
    return next.href
  })

export interface Page {
  readonly status: number
  readonly text: string
}

/** Opens an address and gives what stands there. */
export const open = (url: string): Effect.Effect<Page> =>
  Effect.promise(async () => {
    const answer = await fetch(url)
    return { status: answer.status, text: await answer.text() }
  })

/** Logs in: says yes, and goes back to the program that asked. */
export const logIn = (url: string): Effect.Effect<Page> => Effect.flatMap(consent(url), open)
