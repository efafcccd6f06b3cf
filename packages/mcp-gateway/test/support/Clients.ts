/** Clients of the official SDK that talk to a gateway without a socket. */
import type { Caller, Gateway } from "@boocode/mcp-gateway"
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type Era = "legacy" | "modern"

export const ERAS: ReadonlyArray<Era> = ["legacy", "modern"]

export interface Setup {
  readonly caller?: Caller
  readonly name?: string
  readonly options?: ClientOptions
  /** Before it connects. */
  readonly prepare?: (client: Client) => void
}

/** A client that is connected until the scope closes. */
export const connect = (
  gateway: Gateway,
  era: Era,
  { caller = { id: "one" }, name = "test", options = {}, prepare = () => {} }: Setup = {}
): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(Effect.context<never>(), (context) =>
      Effect.promise(async () => {
        const client = new Client({ name, version: "1" }, {
          versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
          ...options
        })
        prepare(client)
        const fetch = (url: string | URL, init?: RequestInit) =>
          Effect.runPromiseWith(context)(gateway.handle(new Request(url, init), caller))
        await client.connect(new StreamableHTTPClientTransport(new URL("http://gateway/mcp"), { fetch }))
        return client
      })),
    (client) => Effect.promise(() => client.close())
  )

/** Calls a tool and gives its first text. */
export const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  Effect.map(Effect.promise(() => client.callTool({ name, arguments: args })), (result) => {
    const [block] = Array.isArray(result.content) ? result.content : []
    return { isError: result.isError === true, text: block?.type === "text" ? block.text : "" }
  })

/** The names of the tools that a client is listed. */
export const names = (client: Client) =>
  Effect.map(Effect.promise(() => client.listTools()), ({ tools }) => tools.map(({ name }) => name))
