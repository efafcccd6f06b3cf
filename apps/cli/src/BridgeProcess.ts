/**
 * `boocode mcp serve` as a process. It loads neither the verbs nor the API: each program of a person has one of these,
 * for as long as it runs. A command line that is not plainly one for it is left to the whole command.
 */
import { Environment } from "@boocode/mcp-config"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as BridgeWiring from "./node/BridgeWiring.ts"
import * as StartersNode from "./node/StartersNode.ts"

interface Line {
  data: string | null
  config: string | null
  profile: string
}

const FLAG = /^--(data|config|profile)(?:=(.*))?$/s

/** The flags of a command line that has no others; null for any other, which the whole command explains. */
export const lineOf = (words: ReadonlyArray<string>): Line | null => {
  const line: Line = { data: null, config: null, profile: "default" }
  for (let at = 0; at < words.length; at++) {
    const [, name, joined] = FLAG.exec(words[at] ?? "") ?? []
    const value = joined ?? words[++at]
    if (value === undefined || value === "" || value.startsWith("-")) return null
    if (name === "data" || name === "config" || name === "profile") line[name] = value
    else return null
  }
  return line
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export const start = ({ config, data, profile }: Line) => {
  const place = {
    dataDir: data,
    configFile: config,
    isNamed: data !== null || config !== null || (process.env["MCP_CONFIG_PATH"] ?? "") !== ""
  }
  const services = Layer.mergeAll(
    Environment.layer(process.env),
    NodeFileSystem.layer,
    NodePath.layer,
    Layer.succeed(Logger.LogToStderr, true)
  )
  const fiber = Effect.runFork(
    BridgeWiring.run(place, profile, process.env, {
      user: process.getuid?.() ?? null,
      program: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
      input: process.stdin,
      output: process.stdout
    }).pipe(Effect.provide(services))
  )
  let code = 0
  const end = (with_: number) => {
    code = with_
    fiber.interruptUnsafe(fiber.id)
  }
  for (const [signal, number] of Object.entries(SIGNALS)) process.on(signal, () => end(number))
  Effect.runFork(Effect.map(StartersNode.ended(process), () => end(SIGNALS.SIGTERM)))
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      code = 1
      process.stderr.write(`${wordsOf(exit.cause)}\n`)
    }
    process.stdout.write("", () => process.exit(code))
  })
}

const wordsOf = (cause: Cause.Cause<{ readonly message: string; readonly hint: string }>): string =>
  Result.match(Cause.findError(cause), {
    onSuccess: ({ hint, message }) => `error  ${message}\n       ${hint}`,
    onFailure: (other) => `error  ${Cause.pretty(other)}`
  })
