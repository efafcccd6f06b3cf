/** The meaning of an entry, apart from its place and layout. Entries for one and the same server have equal meanings. */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as NativeEntry from "../entry/NativeEntry.ts"
import * as OAuthResolution from "../entry/OAuthResolution.ts"
import type { HttpEntry, ServerEntry, StdioEntry } from "../model/ServerEntry.ts"
import type { Written } from "../text/Field.ts"

/** The values of an entry by key; members of maps have keys such as `env.TOKEN`. */
export type EntryMeaning = ReadonlyMap<string, Schema.Json>

/** Gives what an entry means, defaults filled in; null for an entry that cannot be used. */
export const of = (entry: ServerEntry): EntryMeaning | null => {
  if (Result.isFailure(entry.declaration)) return null
  const { options, transport } = entry.declaration.success
  return new Map<string, Schema.Json>([
    ["enabled", entry.enabled],
    ["type", transport._tag],
    ...(transport._tag === "stdio" ? ofStdio(transport) : ofHttp(transport)),
    ...NativeEntry.encodeOptions(options)
  ])
}

/** The keys under which two entries say different things, sorted. */
export const differences = (one: EntryMeaning, other: EntryMeaning): ReadonlyArray<string> =>
  [...new Set([...one.keys(), ...other.keys()])]
    .filter((key) => !Equal.equals(one.get(key), other.get(key)))
    .toSorted()

type Said = ReadonlyArray<readonly [string, Schema.Json]>

const ofStdio = (stdio: StdioEntry): Said => [
  ["command", stdio.command.text],
  ["args", stdio.args.map(({ text }) => text)],
  ...named("env", stdio.env),
  ["cwd", stdio.cwd?.text ?? null],
  ["envFile", stdio.envFile?.text ?? null],
  ["inheritEnv", stdio.inheritEnv.toSorted()]
]

const ofHttp = (http: HttpEntry): Said => [
  ["url", http.url.text],
  ...named("headers", http.headers),
  ["headersHelper", http.headersHelper?.text ?? null],
  ...OAuthResolution.written(http.oauth).map(([key, text]) => [`oauth.${key}`, text] as const),
  ["publicOnly", http.publicOnly === true]
]

const named = (key: string, values: ReadonlyArray<readonly [string, Written]>): Said =>
  values.map(([name, { text }]) => [`${key}.${name}`, text])
