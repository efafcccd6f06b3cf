/** From an entry as declared to a server that can be used: variables expanded, paths absolute, secrets wrapped. */
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { ConfiguredServer, PersonalEntry, WrittenValues } from "../model/Configuration.ts"
import { InvalidEntry, VariableUnset } from "../model/McpConfigError.ts"
import type { Http, ServerConfig, Stdio } from "../model/ServerConfig.ts"
import type { Declaration, HttpEntry, ServerEntry, StdioEntry } from "../model/ServerEntry.ts"
import type { Trouble, Written } from "../text/Field.ts"
import * as Template from "../text/Template.ts"
import * as DeclaredEntry from "./DeclaredEntry.ts"
import * as Expansion from "./Expansion.ts"
import * as OAuthResolution from "./OAuthResolution.ts"
import * as OwnEntry from "./OwnEntry.ts"
import * as PersonalUse from "./PersonalUse.ts"
import * as ProjectTightening from "./ProjectTightening.ts"

/** Where an entry stands, and what that means for it. */
export interface Origin {
  /** The declaring file as a person would name it. */
  readonly file: string
  /** The folder that relative paths start from; absolute. */
  readonly folder: string
  readonly needsApproval: boolean
  /** The declaring file itself; null when there is none. */
  readonly place: DeclaredEntry.Place | null
  readonly variables: Expansion.Variables
  readonly path: Path.Path
}

/** The reason why an entry cannot be used. */
export type Fault =
  | { readonly _tag: "Trouble"; readonly trouble: Trouble }
  | { readonly _tag: "Unset"; readonly variable: string; readonly written: Written }

/** The variables of an entry's `envFile`, or why it cannot be used; null for an entry without one. */
export type EnvFileValues = Result.Result<Readonly<Record<string, string>>, Fault> | null

type Reason = InvalidEntry | VariableUnset

/** Gives the server. Never fails: what is wrong is its `config`, and for a disabled server also a warning. */
export const resolve = (entry: ServerEntry, origin: Origin, envFile: EnvFileValues): ConfiguredServer => {
  const { config, isOwn, more } = unlessOwn(configOf(entry, origin, envFile), entry, origin)
  const enabled = entry.enabled && !isOwn
  const personal = personalOf(entry, origin, envFile)
  const broken = Result.isFailure(config) && !enabled && personal.personal === undefined ? [config.failure.message] : []
  return {
    name: entry.name,
    transport: entry.transport,
    source: origin.file,
    enabled,
    needsApproval: origin.needsApproval,
    ...(entry.audience === undefined ? {} : { audience: entry.audience }),
    ...(Result.isSuccess(entry.declaration) ? { written: writtenValues(entry.declaration.success) } : {}),
    ...(Result.isSuccess(entry.declaration) && origin.place !== null
      ? { declared: DeclaredEntry.of(entry.declaration.success, origin.place, envFile) }
      : {}),
    config,
    ...personal,
    warnings: [...remarksOf(entry, origin).map((remark) => inWords(origin.file, remark)), ...broken, ...more]
  }
}

/**
 * The part of an entry that is each person's. An entry that nobody's values make usable is not personal but broken, so that
 * a mistake is seen when the entry is read.
 */
const personalOf = (
  entry: ServerEntry,
  origin: Origin,
  envFile: EnvFileValues
): Pick<ConfiguredServer, "personal"> => {
  if (Result.isFailure(entry.declaration)) return {}
  const use = PersonalUse.of(entry.declaration.success)
  if (use === null) return {}
  const resolveWith = (value: (name: string) => string | undefined, workspace: string | null) => {
    const given = use.names.map((name) => [`${Template.PERSONAL}${name}`, value(name)] as const)
    const variables = {
      ...origin.variables,
      ...Object.fromEntries(given),
      [Template.WORKSPACE]: workspace ?? undefined
    }
    return configOf(entry, { ...origin, variables }, envFile).config
  }
  if (Result.isFailure(resolveWith(() => PersonalUse.EXAMPLE, origin.folder))) return {}
  const isPublic = PersonalUse.choosesHost(entry.declaration.success)
  const idle = entry.declaration.success.options.idleTtl ?? PersonalUse.IDLE
  const resolve: PersonalEntry["resolve"] = (values, workspace) =>
    Result.map(
      resolveWith((name) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined
        return value === undefined ? undefined : Redacted.value(value)
      }, workspace),
      (config) => ({ ...config, idleTtl: idle, transport: isPublic ? onlyPublic(config.transport) : config.transport })
    )
  return { personal: { ...use, idle, resolve } }
}

const onlyPublic = (transport: ServerConfig["transport"]): ServerConfig["transport"] =>
  transport._tag === "stdio" ? transport : { ...transport, publicOnly: true }

const remarksOf = (entry: ServerEntry, origin: Origin) =>
  isOfProject(origin) ? [...entry.remarks, ...entry.projectRemarks] : entry.remarks

const isOfProject = ({ place }: Origin): boolean => place?.scope === "project"

const writtenValues = ({ transport }: Declaration): WrittenValues => ({
  args: transport._tag === "stdio" ? transport.args.map(({ text }) => Redacted.make(text)) : [],
  env: transport._tag === "stdio" ? asWritten(transport.env) : {},
  headers: transport._tag === "stdio" ? {} : asWritten(transport.headers)
})

const asWritten = (values: ReadonlyArray<readonly [string, Written]>) =>
  Object.fromEntries(values.map(([name, { text }]) => [name, Redacted.make(text)]))

/** A remark as one line, in the form of the errors. */
export const inWords = (file: string, remark: Pick<Trouble, "at" | "key" | "detail">): string =>
  `${file}:${remark.at.line}:${remark.at.column}: ${remark.key}: ${remark.detail}`

/** The path of an entry's `envFile`, or why that cannot be told. */
export const envFilePath = (written: Written, { folder, path, variables }: Origin): Result.Result<string, Fault> =>
  Result.map(expandWritten(written, variables), (text) => path.resolve(folder, text))

interface Resolved {
  readonly config: Result.Result<ServerConfig, Reason>
  /** Troubles after the first. */
  readonly more: ReadonlyArray<string>
}

const configOf = (entry: ServerEntry, origin: Origin, envFile: EnvFileValues): Resolved => {
  const asReason = reasonFor(entry, origin)
  if (Result.isFailure(entry.declaration)) {
    const [first, ...more] = entry.declaration.failure
    return {
      config: Result.fail(asReason({ _tag: "Trouble", trouble: first })),
      more: more.map((trouble) => inWords(origin.file, trouble))
    }
  }
  const misplaced = (words: typeof MISPLACED) => ({ at, key }: Written): Fault => ({
    _tag: "Trouble",
    trouble: { at, key, ...words }
  })
  const faults = [
    ...PersonalUse.misplaced(entry.declaration.success).map(misplaced(MISPLACED)),
    ...PersonalUse.misplacedFolder(entry.declaration.success).map(misplaced(MISPLACED_FOLDER))
  ]
  const filledIn = new Map<string, string>()
  const config = build(entry.name, entry.declaration.success, { origin, envFile, faults, filledIn })
  const [first, ...more] = faults.map(asReason)
  return {
    config: first === undefined ? Result.succeed(config) : Result.fail(first),
    more: more.map((reason) => reason.message)
  }
}

/** An entry that starts BooCode itself is never enabled, however it is written: each BooCode would start the next. */
const unlessOwn = (resolved: Resolved, entry: ServerEntry, origin: Origin): Resolved & { readonly isOwn: boolean } => {
  const transport = Result.isSuccess(resolved.config) ? resolved.config.success.transport : null
  const isOwn = OwnEntry.isOwn(entry) ||
    transport?._tag === "stdio" && OwnEntry.isOwnCommand(transport.command, transport.args.map(Redacted.value))
  if (!isOwn) return { ...resolved, isOwn }
  const trouble = { at: entry.at, key: entry.key, ...ITSELF }
  return { ...resolved, isOwn, config: Result.fail(reasonFor(entry, origin)({ _tag: "Trouble", trouble })) }
}

const ITSELF = {
  detail: "this entry starts BooCode itself, which does not connect to itself",
  hint: "leave the entry to other applications: boocode connect writes it there"
}

const MISPLACED = {
  detail: "a value of each person may stand in env, headers and url only",
  hint: "move ${user:NAME} there, or write a value that is the same for everyone"
}

const MISPLACED_FOLDER = {
  detail: "the folder of each person may stand in args, cwd and env only",
  hint: "move ${workspace} there, or write a path that is the same for everyone"
}

const reasonFor = (entry: ServerEntry, origin: Origin) => (fault: Fault): Reason => {
  const { at, key } = fault._tag === "Unset" ? fault.written : fault.trouble
  const place = { server: entry.name, file: origin.file, line: at.line, column: at.column, key }
  return fault._tag === "Unset"
    ? new VariableUnset({ ...place, variable: fault.variable })
    : new InvalidEntry({ ...place, detail: fault.trouble.detail, hint: fault.trouble.hint })
}

/** `faults` collects errors in the order of the keys, `filledIn` the variables that were expanded. */
interface Workshop {
  readonly origin: Origin
  readonly envFile: EnvFileValues
  readonly faults: Array<Fault>
  readonly filledIn: Map<string, string>
}

const build = (name: string, declaration: Declaration, shop: Workshop): ServerConfig => {
  const transport = declaration.transport._tag === "stdio"
    ? buildStdio(declaration.transport, shop)
    : buildHttp(declaration.transport, shop)
  const given = declaration.options
  const { for: _, roots, ...options } = isOfProject(shop.origin) ? ProjectTightening.tightened(given) : given
  return {
    ...options,
    name,
    transport,
    ...buildRoots(roots, shop),
    ...(shop.filledIn.size === 0 ? {} : { filledIn: redacted(shop.filledIn) }),
    pin: declaration.options.pin ?? (shop.origin.needsApproval ? "block" : "warn")
  }
}

const redacted = (values: ReadonlyMap<string, string>) =>
  Object.fromEntries([...values].map(([name, value]) => [name, Redacted.make(value)]))

const buildRoots = (roots: Declaration["options"]["roots"], shop: Workshop): Pick<ServerConfig, "roots"> => {
  if (roots === null) return {}
  if (typeof roots === "boolean") return { roots: roots || [] }
  // Names of folders are not secrets.
  const open = { ...shop, filledIn: new Map<string, string>() }
  return { roots: roots.map((written) => folderOf(written, open)) }
}

/** A path from the home folder, or else from the folder of the file. */
const folderOf = (written: Written, shop: Workshop): string => {
  const { folder, path, variables } = shop.origin
  const text = expanded(written, shop) ?? ""
  const home = variables["HOME"] ?? variables["USERPROFILE"]
  if (text.trim() === "") blame(shop, written, "the folder expanded to nothing", "write its path, or leave it out")
  if (!/^~(?:[/\\]|$)/.test(text)) return path.resolve(folder, text)
  if (home === undefined) blame(shop, written, "~ stands for a home folder, and there is none", "write the whole path")
  return path.resolve(home ?? folder, text.slice(2))
}

const buildStdio = (entry: StdioEntry, shop: Workshop): Stdio => {
  const { folder, path } = shop.origin
  // Errors name the command when a program is not found, so its variables are not secrets.
  const open = { ...shop, filledIn: new Map<string, string>() }
  const command = expanded(entry.command, open)
  if (command?.trim() === "") blame(shop, entry.command, "the command expanded to nothing", "set its variable")
  return {
    _tag: "stdio",
    command: command ?? "",
    args: entry.args.map((arg) => Redacted.make(expanded(arg, shop) ?? "")),
    env: buildEnv(entry, shop),
    cwd: entry.cwd === null ? folder : path.resolve(folder, expanded(entry.cwd, open) ?? ""),
    inheritEnv: entry.inheritEnv
  }
}

const buildEnv = (entry: StdioEntry, shop: Workshop): Stdio["env"] => {
  if (shop.envFile !== null && Result.isFailure(shop.envFile)) {
    shop.faults.push(shop.envFile.failure)
  }
  const fromFile = shop.envFile === null ? {} : Result.getOrElse(shop.envFile, () => ({}))
  const declared = entry.env.map(([name, written]) => {
    if (!/^[^=\0]+$/.test(name)) blame(shop, written, "this is not a variable's name", "leave out = and give it a name")
    return [name, expanded(written, shop) ?? ""] as const
  })
  const all = [...Object.entries(fromFile), ...declared]
  return Object.fromEntries(all.map(([name, value]) => [name, Redacted.make(value)]))
}

const buildHttp = (entry: HttpEntry, shop: Workshop): Http => {
  const url = expanded(entry.url, shop)?.trim()
  if (url !== undefined && !isHttpAddress(url)) {
    blame(shop, entry.url, "this is not an address that starts with http:// or https://", "write the whole address")
  }
  const headers = entry.headers.map(([name, written]) => [name, header(name, written, shop)] as const)
  return {
    _tag: entry._tag,
    url: Redacted.make(url ?? ""),
    ...(entry.mayBeSse === true ? { mayBeSse: true } : {}),
    ...(entry.publicOnly === true ? { publicOnly: true } : {}),
    headers: Object.fromEntries(
      headers.filter(([, value]) => value !== "").map(([name, value]) => [name, Redacted.make(value)])
    ),
    ...buildHelper(entry, shop),
    ...OAuthResolution.build(entry.oauth, (written) => expanded(written, shop), (...why) => blame(shop, ...why))
  }
}

/** As with a header, a command that expands to nothing is none. */
const buildHelper = ({ headersHelper }: HttpEntry, shop: Workshop): Pick<Http, "headersHelper"> => {
  const command = headersHelper === null ? "" : expanded(headersHelper, shop)?.trim() ?? ""
  return command === "" ? {} : { headersHelper: { command: Redacted.make(command), cwd: shop.origin.folder } }
}

const header = (name: string, written: Written, shop: Workshop): string => {
  const value = expanded(written, shop)?.trim() ?? ""
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    blame(shop, written, "this is not a header's name", "use letters, digits and dashes")
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    blame(shop, written, "the value holds a character that no header may hold", "look for line breaks in its variable")
  }
  return value
}

const isHttpAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** The text with its variables; null when that cannot be told, and then a fault is noted. */
const expanded = (written: Written, shop: Workshop): string | null => {
  const result = expandWritten(written, shop.origin.variables, (name, value) => {
    // The name of a folder is no secret, and errors of its server name files in it.
    if (name !== Template.WORKSPACE) shop.filledIn.set(name, value)
  })
  if (Result.isSuccess(result)) return result.success
  shop.faults.push(result.failure)
  return null
}

const expandWritten = (
  written: Written,
  variables: Expansion.Variables,
  onFilled?: Expansion.OnFilled
): Result.Result<string, Fault> => {
  const { at, key } = written
  const trouble = (words: { readonly detail: string; readonly hint: string }): Result.Result<never, Fault> =>
    Result.fail({ _tag: "Trouble", trouble: { at, key, detail: words.detail, hint: words.hint } })
  const foreign = Expansion.foreignSyntax(written.text, variables)
  if (foreign !== null) return trouble(foreign)
  const result = Expansion.expand(written.text, variables, onFilled)
  if (Result.isFailure(result)) {
    const fault = result.failure
    return fault._tag === "Unset" ? Result.fail({ _tag: "Unset", variable: fault.variable, written }) : trouble(fault)
  }
  if (!result.success.includes("\0")) return Result.succeed(result.success)
  return trouble({ detail: "holds a NUL character", hint: "leave the character \\u0000 out" })
}

const blame = (shop: Workshop, { at, key }: Written, detail: string, hint: string): void => {
  shop.faults.push({ _tag: "Trouble", trouble: { at, key, detail, hint } })
}
