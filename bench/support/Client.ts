/**
 * What each side of a measurement offers: a client of some servers that are ready to be called. A side is a module with
 * `open`; whatever it needs it imports itself, because each measurement is a process of its own.
 */

/** A stdio server by its command, or one over streamable HTTP by its address. */
export type Server =
  & ({ readonly command: string; readonly args: ReadonlyArray<string> } | { readonly url: string })
  & {
    /** The largest message that is taken, where a client has a limit and can be told another. */
    readonly maxMessageBytes?: number
  }

export type Servers = Readonly<Record<string, Server>>

/** So many calls of `echo`, so many of them at a time, spread evenly over the servers. */
export interface Plan {
  readonly count: number
  readonly inFlight: number
  readonly servers: ReadonlyArray<string>
  /** To be filled with the milliseconds of each call, by its number. */
  readonly times?: Float64Array
}

export interface Client {
  /** Calls a tool of a server; the text of its result. */
  readonly call: (server: string, tool: string, input: Readonly<Record<string, unknown>>) => Promise<string>
  /** Calls `echo` as planned. Fails when an answer is not the text that was sent. */
  readonly calls: (plan: Plan) => Promise<void>
  /** How many tools it knows of all servers. */
  readonly tools: () => Promise<number>
  readonly close: () => Promise<void>
}

/**
 * Answers when the tools of every server are known, or as far as they ever will be. With `enough`, and where a client can
 * do that, as soon as those of so many servers can be called.
 */
export type Open = (servers: Servers, enough?: number) => Promise<Client>

export const TEXT = "The quick brown fox jumps over the lazy dog."

export const check = (text: unknown): void => {
  if (text !== TEXT) throw new Error(`echo answered ${JSON.stringify(text)?.slice(0, 200)}`)
}

/** The calls of a plan by a client that knows promises. */
export const callsBy = (call: Client["call"]) => async ({ count, inFlight, servers, times }: Plan): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) {
      const at = next++
      const start = performance.now()
      check(await call(servers[at % servers.length] ?? "", "echo", { text: TEXT }))
      if (times !== undefined) times[at] = performance.now() - start
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

/** The calls of a client that knows promises. */
export const make = (parts: Pick<Client, "call" | "tools" | "close">): Client => ({
  ...parts,
  calls: callsBy(parts.call)
})

/** One server of a client that connects to one server only. */
export interface Session {
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>) => Promise<string>
  readonly tools: number
  readonly close: () => Promise<unknown>
}

/** What a program writes around such a client: connects to all servers at the same time, and goes on without those that fail. */
export const loop = async (servers: Servers, connect: (server: Server) => Promise<Session>): Promise<Client> => {
  const sessions = new Map<string, Session>()
  await Promise.all(
    Object.entries(servers).map(([name, server]) =>
      connect(server).then((session) => sessions.set(name, session), (error) => console.error(`${name}: ${error}`))
    )
  )
  return make({
    call: (name, tool, input) =>
      sessions.get(name)?.call(tool, input) ?? Promise.reject(new Error(`${name} is not connected`)),
    tools: async () => [...sessions.values()].reduce((sum, { tools }) => sum + tools, 0),
    close: async () => void await Promise.all([...sessions.values()].map(({ close }) => close()))
  })
}

/** The first text of a result. */
export const textOf = ({ content }: { readonly content?: unknown }): string => {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  return typeof first === "object" && first !== null && "text" in first && typeof first.text === "string"
    ? first.text
    : ""
}
