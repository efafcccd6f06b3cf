/** Values for the variables that an entry names, written into `.env` of the data folder. */
import { EditedFile, EnvFile, Environment } from "@boocode/mcp-config"
import { McpRegistry } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Access } from "../access/Access.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import { FileConflict } from "./AddServer.ts"
import { InvalidEntry, NotOverHttp } from "./EntryRules.ts"
import * as StandingEntry from "./StandingEntry.ts"

/**
 * Writes the values and starts the server anew; answers when it is ready or failed. The file is for its owner alone. Only
 * variables that the entry names are taken, and only where nobody else reaches this server. Fails with `McpError`,
 * `NotOverHttp`, `InvalidEntry` and `FileConflict`.
 */
export const set = Effect.fnUntraced(function*(name: string, values: Readonly<Record<string, string>>) {
  const registry = yield* McpRegistry
  const { isOpen } = yield* Access
  const { envFile } = yield* DataFolder
  const { text } = yield* StandingEntry.find(name)
  if (!isOpen) return yield* notHere(name, envFile)
  yield* check(name, Object.keys(values), namesIn(StandingEntry.valueOf(text ?? "{}")))
  yield* write(envFile, values)
  const { changed } = yield* registry.reload
  yield* checkTaken(values)
  if (changed.includes(name)) return yield* registry.settledServer(name)
  return yield* Effect.catch(registry.restart(name), () => registry.server(name))
})

/** Writes values into a `.env` file, which is for its owner alone. Fails with `InvalidEntry` and `FileConflict`. */
export const write = Effect.fnUntraced(function*(envFile: string, values: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  // Before the value is in it.
  yield* Effect.ignore(fs.chmod(envFile, 0o600))
  const edited = EditedFile.edit({ path: envFile, name: envFile }, (before) => {
    const after = EnvFile.change(before, values)
    return after === null ? Result.fail(unwritable(values)) : Result.succeed(after)
  })
  yield* Effect.mapError(edited, (error) => error._tag === "EditFailed" ? notWritten(error) : error)
})

const namesIn = (entry: Schema.JsonObject): ReadonlySet<string> => {
  const { inheritEnv = [] } = entry
  const inherited = Array.isArray(inheritEnv) ? inheritEnv : [inheritEnv]
  const named = JSON.stringify(entry).matchAll(/\$\{([A-Za-z_]\w*)/g)
  return new Set([
    ...Array.from(named, ([, one = ""]) => one),
    ...inherited.filter((one: Schema.Json) => typeof one === "string")
  ])
}

const check = (name: string, given: ReadonlyArray<string>, known: ReadonlySet<string>) => {
  const other = given.find((one) => !known.has(one))
  if (given.length > 0 && other === undefined) return Effect.void
  return Effect.fail(
    new InvalidEntry({
      message: other === undefined ? "there is no variable to set" : `the entry of ${name} names no variable ${other}`,
      hint: known.size === 0
        ? "write ${NAME} into the entry first"
        : `it names ${[...known].join(", ")}; nothing was written`,
      ...{ key: other ?? null, line: null, column: null }
    })
  )
}

const notHere = (name: string, file: string) =>
  new NotOverHttp({
    message: `values for the variables of ${name} may not come over the network`,
    hint: `write NAME=VALUE into ${file} on the machine itself`,
    command: null
  })

const unwritable = (values: Readonly<Record<string, string>>) =>
  new InvalidEntry({
    message: `the value of ${Object.keys(values).join(" or ")} mixes all quotes, which .env cannot hold`,
    hint: "set it in the environment of the server; nothing was written",
    ...{ key: null, line: null, column: null }
  })

const notWritten = ({ hint, message }: EditedFile.EditFailed) => new FileConflict({ state: "unchanged", message, hint })

/** A variable that the process was started with wins over the file. */
const checkTaken = Effect.fnUntraced(function*(values: Readonly<Record<string, string>>) {
  const environment = yield* Environment
  const other = Object.entries(values).find(([name, value]) => environment.variables[name] !== value)
  if (other === undefined) return
  return yield* new FileConflict({
    state: "elsewhere",
    message: `${other[0]} is set in the environment of the server, which wins over .env`,
    hint: "set it there, and start the server again"
  })
})
