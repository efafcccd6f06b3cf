/** The real chat server as a process of its own group, and what a client of its API does. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { CHECKOUT, COMPILED, MAIN } from "./Command.ts"
import * as Deadline from "./Deadline.ts"

export interface ChatServer {
  readonly url: string
  readonly pid: number
  /** Everything it printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly get: (path: string) => Effect.Effect<Answer>
  readonly post: (path: string, body?: unknown) => Effect.Effect<Answer>
  readonly patch: (path: string, body: unknown) => Effect.Effect<Answer>
  /** Posts, and gives every `data:` of the stream that answers, when it has ended. */
  readonly stream: (path: string, body: unknown) => Effect.Effect<ReadonlyArray<Record<string, unknown>>>
  /** Sends a signal to it, or to its whole group as a terminal does, and gives its exit code. */
  readonly end: (signal: NodeJS.Signals, to: "process" | "group") => Effect.Effect<number | null>
}

export interface Answer {
  readonly status: number
  // A test reads what it asks for; a wrong shape is a failed assertion.
  readonly body: Record<string, unknown>
}

/** In a process of its own, or in that of the test (`AppServer`). */
export type Start = (
  data: string,
  env?: Readonly<Record<string, string>>
) => Effect.Effect<ChatServer, never, Scope.Scope>

/**
 * Starts `boocode serve` on a free port and waits for its address; `more` are further arguments, `limits` commands of the
 * shell that becomes the server, such as `ulimit -f 100`. It is killed when the scope closes.
 */
export const start = (
  data: string,
  env: Readonly<Record<string, string>> = {},
  more: ReadonlyArray<string> = [],
  limits = ":"
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => launch(data, env, more, limits)),
      ({ pid }) => Effect.sync(() => kill(-pid, "SIGKILL"))
    ),
    client
  )

const launch = async (
  data: string,
  env: Readonly<Record<string, string>>,
  more: ReadonlyArray<string>,
  limits: string
) => {
  const main = join(CHECKOUT, MAIN)
  const serve = [
    process.execPath,
    main,
    "serve",
    "--data",
    data,
    ...(more.includes("--port") ? [] : ["--port", "0"]),
    ...more
  ]
  const child = spawn(
    "/bin/sh",
    ["-c", `${limits}; exec "$0" "$@"`, ...serve],
    {
      cwd: data,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: data,
        BOOCODE_STATE_DIR: join(data, "..", "state"),
        ...COMPILED,
        ...env
      }
    }
  )
  const seen = { stdout: "", stderr: "" }
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    seen.stderr += text
  })
  const ended = once(child, "exit").then(([code]: ReadonlyArray<unknown>) => typeof code === "number" ? code : null)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen.stdout += text
      const address = /http:\/\/[^\s]+/.exec(seen.stdout)
      if (address !== null) resolve(address[0])
    })
    void ended.then((code) => reject(new Error(`serve ended with ${code} before it was up:\n${seen.stderr}`)))
  })
  return { url, pid: child.pid ?? 0, seen, ended }
}

const client = ({ ended, pid, seen, url }: Awaited<ReturnType<typeof launch>>): ChatServer => ({
  ...requests(url),
  url,
  pid,
  stdout: () => seen.stdout,
  stderr: () => seen.stderr,
  end: (signal, to) =>
    Effect.promise(() => {
      kill(to === "group" ? -pid : pid, signal)
      return ended
    })
})

/** What a client asks a server at this address. */
export const requests = (url: string): Pick<ChatServer, "get" | "patch" | "post" | "stream"> => {
  const ask = (path: string, init: RequestInit) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, init)
      const text = await response.text()
      return { status: response.status, body: text === "" ? {} : JSON.parse(text) }
    })
  const json = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body ?? {})
  })
  return {
    get: (path) => ask(path, {}),
    post: (path, body) => ask(path, json(body)),
    patch: (path, body) => ask(path, { ...json(body), method: "PATCH" }),
    stream: (path, body) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}${path}`, json(body))
        const text = await response.text()
        return text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)))
      })
  }
}

const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Asks again until the answer is as hoped for, or gives the last one when the time is up. */
export const until = <A>(ask: Effect.Effect<A>, isThere: (answer: A) => boolean, withinMillis = Deadline.WAIT_MILLIS) =>
  Effect.gen(function*() {
    const deadline = Date.now() + withinMillis
    for (;;) {
      const answer = yield* ask
      if (isThere(answer) || Date.now() > deadline) return answer
      yield* Effect.sleep("50 millis")
    }
  })
