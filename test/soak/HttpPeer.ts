/** The HTTP server that takes part: a process beside the registry, which may be killed and started anew elsewhere. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { request } from "node:http"
import * as FixtureServer from "../support/FixtureServer.ts"

const SERVER = FixtureServer.entry("Http")

export class HttpPeer {
  private child: ChildProcess | undefined
  private port = 0

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  get pid(): number {
    return this.child?.pid ?? 0
  }

  /** Starts it unless it runs. */
  readonly ensure: Effect.Effect<void> = Effect.promise(async () => {
    if (this.child?.exitCode === null && this.child.signalCode === null) return
    const child = spawn(SERVER.command, SERVER.args, { stdio: ["ignore", "pipe", "ignore"] })
    this.child = child
    const [line] = await once(child.stdout, "data")
    this.port = Number(String(line).trim())
  })

  readonly kill: Effect.Effect<void> = Effect.promise(async () => {
    const { child } = this
    if (child?.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, "close")
    child.kill("SIGKILL")
    await closed
  })

  /** Drops every session, as a restarted server does. */
  readonly forget: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    // A connection of its own, gone afterwards, so that it is not counted as one of the registry's.
    request(this.url.replace("/mcp", "/forget"), { method: "POST", agent: false }, (response) => {
      response.resume().once("close", done)
    }).once("error", done).end()
  })
}
