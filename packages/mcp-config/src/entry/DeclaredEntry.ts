/** An entry as its file has it, in the form that an approval is bound to: the same for every shape. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { DeclaredEntry } from "../model/Configuration.ts"
import type { Declaration } from "../model/ServerEntry.ts"
import type { Written } from "../text/Field.ts"
import * as OAuthResolution from "./OAuthResolution.ts"

/** Which file an entry stands in. */
export type Place = Pick<DeclaredEntry, "file" | "folder" | "scope">

/** The values of an `envFile`; a failure counts as none, and null is an entry without one. */
type EnvFileValues = Result.Result<Readonly<Record<string, string>>, unknown> | null

/** Gives what the file says, without filling in anything. */
export const of = ({ options, transport }: Declaration, place: Place, envFile: EnvFileValues): DeclaredEntry => ({
  ...place,
  ...NOTHING,
  ...(transport._tag === "stdio"
    ? {
      type: transport._tag,
      command: secret(transport.command),
      args: transport.args.map(({ text }) => Redacted.make(text)),
      cwd: secret(transport.cwd),
      env: named(transport.env.map(([name, { text }]) => [name, text])),
      envFile: secret(transport.envFile),
      envFileValues: valuesOf(envFile),
      inheritEnv: transport.inheritEnv
    }
    : {
      type: transport._tag,
      url: secret(transport.url),
      headers: named(transport.headers.map(([name, { text }]) => [name, text])),
      headersHelper: secret(transport.headersHelper),
      oauth: named(OAuthResolution.written(transport.oauth))
    }),
  tools: options.tools,
  ask: options.ask,
  writes: options.writes,
  for: options.for,
  trustAnnotations: options.trustAnnotations,
  classes: options.classes,
  targets: options.targets,
  pin: options.pin,
  session: options.session,
  roots: rootsOf(options)
})

const NOTHING = {
  command: null,
  args: [],
  cwd: null,
  env: {},
  envFile: null,
  envFileValues: null,
  inheritEnv: [],
  url: null,
  headers: {},
  headersHelper: null,
  oauth: {}
}

const rootsOf = ({ roots }: Declaration["options"]): ReadonlyArray<string> =>
  roots === null ? [] : typeof roots === "boolean" ? [roots ? "the host's" : "none"] : roots.map(({ text }) => text)

const secret = (written: Written | null) => written === null ? null : Redacted.make(written.text)

const named = (values: ReadonlyArray<readonly [string, string]>) =>
  Object.fromEntries(values.map(([name, text]) => [name, Redacted.make(text)]))

const valuesOf = (envFile: EnvFileValues) =>
  envFile === null || Result.isFailure(envFile) ? null : named(Object.entries(envFile.success))
