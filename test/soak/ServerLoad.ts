/** What is done to a chat server, each thing at its pace: calls, turns, listeners; servers are frozen and killed. */
import * as Effect from "effect/Effect"
import type { ChatServer } from "../support/ChatServer.ts"
import * as Dice from "./Dice.ts"
import type { Findings } from "./Findings.ts"
import * as ServerCast from "./ServerCast.ts"

/** No more of a kind are on their way than this; what comes beyond is left out, and counted. */
const MOST = { calls: 150, turns: 50 }
const CALL_MILLIS = 85
const TURN_MILLIS = 80
const LISTENERS = 20
/** Servers that are frozen at a time. */
const FROZEN = 4
const CHATS = 100

export interface Load {
  /** Runs until it is interrupted. */
  readonly run: Effect.Effect<void>
  /** The servers that are frozen just now. */
  readonly frozen: () => number
  /** What is not answered yet. */
  readonly away: Readonly<Record<"calls" | "turns", number>>
}

export const make = (server: ChatServer, remotePid: number, seed: number, findings: Findings): Load => {
  const away = { calls: 0, turns: 0 }
  const chats: Array<string> = []
  const frozen = new Set<number>()
  let thrown = 0
  const dice = () => Dice.make(seed, thrown++)

  const post = async (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...signal === undefined ? {} : { signal }
    })

  const call = async () => {
    const { args, tool } = ServerCast.ask(dice())
    const response = await post(`/api/tools/${tool}/call`, { args })
    await response.text()
    findings.count(`call: ${response.status}`)
  }
  const chatOf = async (thrown: Dice.Dice): Promise<string> => {
    if (chats.length > CHATS || (chats.length > 10 && thrown.chance(0.7))) {
      return chats.splice(thrown.below(chats.length), 1)[0] ?? ""
    }
    const response = await post("/api/chats", {})
    return String(Object(await response.json())["id"])
  }
  const turn = async () => {
    const thrown = dice()
    const chat = await chatOf(thrown)
    // Some close the page before the end.
    const leaves = thrown.chance(0.1) ? AbortSignal.timeout(thrown.below(500)) : undefined
    const response = await post(`/api/chats/${chat}/messages`, { text: ServerCast.message(thrown) }, leaves)
    findings.count(`turn: ${response.status}`)
    await response.text()
    if (thrown.chance(0.9)) chats.push(chat)
    else if (thrown.chance(0.5)) await fetch(`${server.url}/api/chats/${chat}`, { method: "DELETE" })
  }
  const listener = async () => {
    const thrown = dice()
    const leaves = AbortSignal.timeout(5000 + thrown.below(55_000))
    const response = await fetch(`${server.url}/api/events`, { signal: leaves })
    for await (const _ of response.body ?? []) continue
  }

  const once = (kind: keyof typeof away, what: () => Promise<void>) =>
    Effect.sync(() => {
      if (away[kind] >= MOST[kind]) return findings.count(`${kind} left out`)
      away[kind] += 1
      findings.count(kind)
      const began = performance.now()
      what().catch((error: unknown) => findings.count(`${kind} broken off: ${nameOf(error)}`)).finally(() => {
        away[kind] -= 1
        findings.took(kind, performance.now() - began)
      })
    })

  /** The processes of the servers. */
  const living = async (among: (name: string) => boolean): Promise<ReadonlyArray<number>> => {
    const response = await fetch(`${server.url}/api/mcp/servers`)
    const { servers } = Object(await response.json())
    const all: ReadonlyArray<{ readonly name: string; readonly pid: number | null }> = servers
    return all.flatMap(({ name, pid }) => among(name) ? [name === ServerCast.REMOTE ? remotePid : pid ?? 0] : [])
      .filter((pid) => pid > 0)
  }
  const signal = (pid: number, name: NodeJS.Signals) => {
    findings.count(name)
    try {
      process.kill(pid, name)
    } catch {
      // It has ended since.
    }
  }
  const one = async (thrown: Dice.Dice, among: (name: string) => boolean) => {
    const pids = await living(among)
    return pids[thrown.below(pids.length)]
  }
  const freeze = Effect.promise(async () => {
    const thrown = dice()
    const pid = await one(thrown, (name) => !ServerCast.isSteady(name))
    if (pid === undefined || frozen.has(pid) || frozen.size >= FROZEN) return
    frozen.add(pid)
    signal(pid, "SIGSTOP")
    setTimeout(() => {
      frozen.delete(pid)
      signal(pid, "SIGCONT")
    }, 30_000 + thrown.below(30_000))
  })
  const kill = Effect.promise(async () => {
    const pid = await one(dice(), (name) => name !== ServerCast.REMOTE)
    if (pid !== undefined) signal(pid, "SIGKILL")
  })
  const hearing: Effect.Effect<never> = Effect.forever(
    Effect.andThen(Effect.promise(() => listener().catch(() => {})), Effect.sleep("200 millis"))
  )

  // A look at the servers over a connection that just closed must not end the load.
  const tried = (what: Effect.Effect<void>) =>
    Effect.catchDefect(what, (defect) => Effect.sync(() => findings.count(`look broken off: ${nameOf(defect)}`)))
  const every = (millis: number, what: Effect.Effect<void>) =>
    Effect.forever(Effect.andThen(Effect.sleep(millis), tried(what)))
  return {
    frozen: () => frozen.size,
    away,
    run: Effect.all([
      every(CALL_MILLIS, once("calls", call)),
      every(TURN_MILLIS, once("turns", turn)),
      every(9000, freeze),
      every(11_000, kill),
      ...Array.from({ length: LISTENERS }, () => hearing)
    ], { concurrency: "unbounded", discard: true })
  }
}

const nameOf = (error: unknown) => error instanceof Error ? error.name : String(error)
