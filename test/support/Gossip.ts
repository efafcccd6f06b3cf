/** A data folder full of secrets, whose servers tell them all wherever they can; and who finds one again. */
import { MARKER_VARIABLE } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import * as AppCommand from "./AppCommand.ts"
import * as Command from "./Command.ts"
import * as Compiled from "./Compiled.ts"

/** Every secret begins with it, so that a piece of one is found as well. */
const SECRET = "k4n4ry"
const MARK = "BOOCODE_CANARY_TEST"

const file = (name: string) => fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url))

const LINES = `${SECRET}-line-one-1\n${SECRET}-line-two-2`
const QUOTED = `${SECRET}-"quoted"\\ &=/ü-1`

/** In the environment of the host. */
const HOST = {
  FROM_HOST: `${SECRET}-from-host`,
  IN_ARGS: `${SECRET}-in-args`,
  IN_TOKEN: `${SECRET}-in-token`,
  IN_HEADER: `${SECRET}-in-header`,
  IN_QUERY: `${SECRET}/in query+1`,
  IN_PATH: `${SECRET}in-path-words`,
  INHERITED: `${SECRET}-inherited`,
  NOT_ASKED_FOR: `${SECRET}-not-asked-for`,
  SECRET: "x",
  SEVERAL_LINES: LINES,
  QUOTED
}

const ENDS = ["dies", "refuses", "mute", "unlisted"]
const HTTP_ENDS = ["unauthorized", "forbidden", "broken", "page", "noise", "refuses", "elsewhere", "hangs_up"]

/** Those that never answer need not be waited for; the others start on a busy machine too. */
const patience = (ends: ReadonlyArray<string>, manner: string) => ends.includes(manner) ? "2 seconds" : "20 seconds"

const program = (manner: string, more: object = {}) => ({
  command: process.execPath,
  args: [
    ...Compiled.FLAGS,
    file("Gossip"),
    manner,
    "--label",
    "${IN_ARGS}",
    "--token=${IN_TOKEN}",
    `--db=postgres://someone:${SECRET}-password@db.example/main?sslkey=${SECRET}-sslkey`
  ],
  env: {
    NAMED: `${SECRET}-literal`,
    FILLED_IN: "${FROM_HOST}",
    FROM_DOTENV: "${IN_DOTENV}",
    SEVERAL_LINES: "${SEVERAL_LINES}",
    QUOTED: "${QUOTED}",
    ...more
  },
  envFile: "secrets.env",
  inheritEnv: ["INHERITED", "NOT_THERE"],
  startupTimeout: patience(ENDS, manner),
  lazy: manner === "sleeps"
})

const remote = (port: number, manner: string, login = "") => ({
  url:
    `http://${login}127.0.0.1:${port}/${manner}/\${IN_PATH}/${SECRET}key0123456789/mcp?key=\${IN_QUERY}&plain=${SECRET}-plain`,
  headers: {
    Authorization: "Bearer ${IN_HEADER}",
    "X-Api-Key": `${SECRET}-literal-header`,
    "X-Quoted": "a ${FROM_HOST} b"
  },
  startupTimeout: patience(HTTP_ENDS, manner)
})

/** The folder, its servers' marker, and what runs the command in it. */
export const folder = Effect.gen(function*() {
  const port = yield* web
  const mark = randomUUID()
  const own = { [MARK]: mark }
  const mcpServers = {
    ...Object.fromEntries(["serves", "sleeps", ...ENDS].map((manner) => [manner, program(manner, own)])),
    ...Object.fromEntries(["web", ...HTTP_ENDS].map((manner) => [`web_${manner}`, remote(port, manner)])),
    web_login: remote(port, "web", `user:${SECRET}-password@`),
    web_helped: { ...remote(port, "web"), headersHelper: "cat helper.json" },
    unset: { command: "${IN_TOKEN}-${NOT_SET_ANYWHERE}" },
    nowhere: { command: "no-such-command", args: ["${IN_TOKEN}"] },
    wrong: { command: "x", env: { KEY: [`${SECRET}-in-a-list`] } }
  }
  const root = yield* Command.folder({
    "data/mcp.json": JSON.stringify({ mcpServers }, null, 2),
    "data/.env": `IN_DOTENV=${SECRET}-in-dotenv\n`,
    "data/secrets.env": `IN_ENV_FILE=${SECRET}-in-env-file\n`,
    "data/helper.json": JSON.stringify({ "X-Helped": `${SECRET}-of-helper` }),
    "data/settings.json": JSON.stringify({ logLevel: "trace" }),
    "data/workspace/hello.txt": "hello\n"
  })
  const data = join(root, "data")
  const env = { ...HOST, BOOCODE_STATE_DIR: join(root, "state") }
  return {
    data,
    env,
    mark,
    names: Object.keys(mcpServers),
    /** The variables that its programs are to get, by name, and no other. */
    own: ["HOME", "PATH", "INHERITED", "IN_ENV_FILE", MARKER_VARIABLE, ...Object.keys(program("serves", own).env)]
      .sort(),
    run: (...args: ReadonlyArray<string>) =>
      AppCommand.run([...args, "--data", data, "--log-level", "trace"], { cwd: data, env }),
    /** Every file there is but those in which a person wrote the secrets: its path, and what is in it. */
    files: Effect.sync(() =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => !WRITTEN.some((name) => path === join(data, name)))
        .map((path): readonly [string, string] => [path, readFileSync(path, "utf8")])
    )
  }
})

export { MARK }

const WRITTEN = ["mcp.json", ".env", "secrets.env", "helper.json"]

const web = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [...Compiled.FLAGS, file("GossipHttp")], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const [line] = await once(child.stdout, "data")
      return { child, port: Number(line) }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  ),
  ({ port }) => port
)

/** What an address answers, to a GET or to a POST of this body. */
export const text = (url: string, body?: unknown) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) }
    return await (await fetch(url, init)).text()
  })

/** What a stream has said so far. */
export const listen = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const controller = new AbortController()
        const { body } = await fetch(url, { signal: controller.signal })
        const seen = { text: "" }
        const read = async () => {
          for await (const chunk of body ?? []) seen.text += Buffer.from(chunk).toString()
        }
        read().catch(() => {})
        return { controller, seen }
      }),
      ({ controller }) => Effect.sync(() => controller.abort())
    ),
    ({ seen }) => () => seen.text
  )

/** The lines of a call's result. */
export const linesOf = (result: unknown): ReadonlyArray<string> => String(Object(result)["text"]).split("\n")

/** The secrets, or pieces of them, that stand in a text, each once and with what is before it. */
export const found = (text: string): ReadonlyArray<string> => {
  const places = [...text.matchAll(FORMS)].map((
    { 0: piece, index }
  ) => [piece, text.slice(Math.max(0, index - 80), index)])
  return [...new Map(places.map(([piece, before]) => [piece, before]))].map(([piece, before]) =>
    `${before}>>>${piece}<<<`
  )
}

/** Also as base64 has it, whatever stands before it. */
const FORMS = new RegExp(`(?:${SECRET}|azRuNHJ5|s0bjRye|rNG40cn)[^\\s]{0,12}`, "g")
