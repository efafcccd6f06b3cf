/** The text of a configuration file as a tree of values with their places, whichever language it is written in. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as JsonNode from "./JsonNode.ts"

/** The language of a file. JSON may have comments and trailing commas. */
export type Format = "json" | "toml" | "yaml"

/** The language that a file's name tells: `.toml`, `.yaml` and `.yml`; everything else is JSON. */
export const formatOf = (file: string): Format => {
  if (/\.toml$/i.test(file)) return "toml"
  return /\.ya?ml$/i.test(file) ? "yaml" : "json"
}

/** Reads a text of a language. Fails with the first wrong place; a text that is empty, too long or too deep is one. */
export type Reader = (text: string) => Result.Result<JsonNode.JsonNode, JsonNode.Fault>

/** Gives the parser of a language. Those of TOML and YAML are loaded when a file needs them. */
export const reader = (format: Format): Effect.Effect<Reader> => {
  if (format === "json") return Effect.succeed(JsonNode.parse)
  return format === "toml"
    ? Effect.map(Effect.promise(() => import("./TomlNode.ts")), (module) => module.parse)
    : Effect.map(Effect.promise(() => import("./YamlNode.ts")), (module) => module.parse)
}

export const parse = (text: string, format: Format): Effect.Effect<ReturnType<Reader>> =>
  Effect.map(reader(format), (read) => read(text))
