/** The ways to install a published server: its packages and remotes, each as a recipe for an entry, or with why it is none. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ServerName from "../model/ServerName.ts"
import {
  Argument,
  type Gapped,
  InputTable,
  MOST_INPUTS,
  NamedInput,
  type PublishedInput,
  Variables
} from "./InputSpec.ts"
import * as RunnerFlags from "./RunnerFlags.ts"

/** Words of a command that belong together, such as an option and its value. */
export interface ArgumentWords {
  readonly tokens: ReadonlyArray<Gapped>
}

/** A variable or a header. */
export interface Setting {
  readonly name: string
  readonly value: Gapped
}

/** The recipe of an entry. */
export type Recipe =
  | {
    readonly _tag: "program"
    readonly command: RunnerFlags.RunnerName
    readonly args: ReadonlyArray<ArgumentWords>
    readonly env: ReadonlyArray<Setting>
  }
  | {
    readonly _tag: "address"
    readonly type: "http" | "sse"
    readonly url: Gapped
    readonly headers: ReadonlyArray<Setting>
  }

/** One way to install a server. */
export interface Candidate {
  /** Unique in its server: `npm:@x/y@1.2.3`, `remote:https://…`. */
  readonly id: string
  readonly kind: "npm" | "pypi" | "oci" | "nuget" | "mcpb" | "remote" | "unknown"
  /** The title for people: the package with its version, or the address. */
  readonly title: string
  readonly inputs: ReadonlyArray<PublishedInput>
  /** Warnings for a person before it runs. */
  readonly warnings: ReadonlyArray<string>
  /** A recipe, or why there is none. */
  readonly recipe: Result.Result<Recipe, string>
}

/** Reads the remotes, then the packages of a server. Never fails: one that cannot be used says why. */
export const all = (
  { packages, remotes, version }: {
    readonly version: string
    readonly packages: ReadonlyArray<unknown>
    readonly remotes: ReadonlyArray<unknown>
  }
): ReadonlyArray<Candidate> => {
  const found = [...remotes.map(ofRemote), ...packages.map((one) => ofPackage(one, version))]
  const seen = new Map<string, number>()
  return found.map((candidate) => {
    const times = (seen.get(candidate.id) ?? 0) + 1
    seen.set(candidate.id, times)
    return times === 1 ? candidate : { ...candidate, id: `${candidate.id} ${times}` }
  })
}

const MOST_ARGUMENTS = 100

const text = Schema.String.check(Schema.isMaxLength(4000))
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const list = <S extends Schema.Constraint>(schema: S, most: number) =>
  optional(Schema.Array(schema).check(Schema.isMaxLength(most, { message: `more than ${most} of them` })))

const Remote = Schema.Struct({
  type: Schema.Literals(["streamable-http", "sse"]),
  url: text,
  headers: list(NamedInput, MOST_INPUTS),
  variables: Variables
})

const Package = Schema.Struct({
  registryType: text,
  registryBaseUrl: optional(text),
  identifier: text,
  version: optional(text),
  fileSha256: optional(text),
  runtimeHint: optional(text),
  transport: optional(Schema.Struct({ type: text })),
  runtimeArguments: list(Argument, MOST_ARGUMENTS),
  packageArguments: list(Argument, MOST_ARGUMENTS),
  environmentVariables: list(NamedInput, MOST_INPUTS)
})
type Package = typeof Package.Type

const decodeRemote = Schema.decodeUnknownResult(Remote)
const decodePackage = Schema.decodeUnknownResult(Package)

const unusable = (kind: Candidate["kind"], title: string, why: string): Candidate => ({
  id: `${kind}:${ServerName.shown(title)}`,
  kind,
  title: ServerName.shown(title),
  inputs: [],
  warnings: [],
  recipe: Result.fail(ServerName.shown(why))
})

const UNREADABLE = "its description does not fit the registry's format, so nothing of it is used"

const unreadable = (kind: Candidate["kind"], { message }: Schema.SchemaError): Candidate =>
  unusable(kind, "unreadable", `${UNREADABLE}: ${message.replace(/\s+/g, " ").slice(0, 200)}`)

const ofRemote = (given: unknown): Candidate => {
  const decoded = decodeRemote(given)
  if (Result.isFailure(decoded)) return unreadable("remote", decoded.failure)
  const { headers, type, url, variables } = decoded.success
  const table = new InputTable()
  const address = table.filled(url, "address", variables ?? {})
  const settings = (headers ?? []).map(({ name, ...input }) => ({ name, value: table.gapped(name, "header", input) }))
  const why = addressRefusal(url, address) ?? headersRefusal(settings)
  if (why !== null) return unusable("remote", url, why)
  return {
    id: `remote:${url}`,
    kind: "remote",
    title: url,
    inputs: table.all,
    warnings: url.startsWith("http:") ? ["its address begins with http:, so others can read what is sent"] : [],
    recipe: Result.succeed({
      _tag: "address",
      type: type === "sse" ? "sse" : "http",
      url: address,
      headers: settings
    })
  }
}

const addressRefusal = (url: string, address: Gapped): string | null => {
  if (!ServerName.isPlain(url)) return HIDING
  const filled = address.map((piece) => "gap" in piece ? "x" : piece.text).join("")
  if (/[{}]/.test(filled)) return "its address has a gap that it says nothing about"
  const isWhole = address[0] !== undefined && "gap" in address[0]
  const parsed = URL.parse(isWhole ? "https://x/" : filled)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return "its address does not begin with https: or http:"
  return parsed.username === "" && parsed.password === "" ? null : "its address has a user or a password in it"
}

const HIDING = "it holds line breaks, control characters or marks of direction, which could hide what it runs"

const headersRefusal = (headers: ReadonlyArray<Setting>): string | null => {
  const names = headers.map(({ name }) => name.toLowerCase())
  if (names.some((name) => !/^[!#$%&'*+.^_`|~0-9a-z-]{1,200}$/.test(name))) return "a header has no usable name"
  if (new Set(names).size < names.length) return "it declares a header twice"
  return headers.every(({ value }) => isPlain(value)) ? null : HIDING
}

const isPlain = (value: Gapped): boolean => value.every((piece) => "gap" in piece || ServerName.isPlain(piece.text))

/** How each kind of package is started: by which program, under which name, from where. */
interface Kind {
  readonly runner: RunnerFlags.RunnerName
  readonly identifier: RegExp
  readonly version: RegExp
  readonly base: RegExp
  readonly spec: (identifier: string, version: string) => string
}

const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

const KINDS: Readonly<Record<"npm" | "pypi" | "nuget", Kind>> = {
  npm: {
    runner: "npx",
    identifier: /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*$/,
    version: SEMVER,
    base: /^https:\/\/registry\.npmjs\.org\/?$/,
    spec: (identifier, version) => `${identifier}@${version}`
  },
  pypi: {
    runner: "uvx",
    identifier: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    version: /^\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[0-9A-Za-z.]+)?$/,
    base: /^https:\/\/(?:pypi\.org|files\.pythonhosted\.org)(?:\/simple)?\/?$/,
    spec: (identifier, version) => `${identifier}==${version}`
  },
  nuget: {
    runner: "dnx",
    identifier: /^[A-Za-z0-9_][A-Za-z0-9._-]*$/,
    version: /^\d+\.\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?$/,
    base: /^https:\/\/(?:api|www)\.nuget\.org(?:\/v3\/index\.json|\/v3|)\/?$/,
    spec: (identifier, version) => `${identifier}@${version}`
  }
}

const IMAGE =
  /^(?:[a-z0-9][a-z0-9.-]*(?::\d+)?\/)?[a-z0-9][a-z0-9._/-]*(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?<digest>@sha256:[0-9a-f]{64})?$/

const ofPackage = (given: unknown, serverVersion: string): Candidate => {
  const decoded = decodePackage(given)
  if (Result.isFailure(decoded)) return unreadable("unknown", decoded.failure)
  const one = decoded.success
  const { identifier, registryType, version } = one
  const title = version === null || version === undefined ? identifier : `${identifier} ${version}`
  switch (registryType) {
    case "npm":
    case "pypi":
    case "nuget":
      return fromIndex(registryType, one, version ?? serverVersion)
    case "oci":
      return fromImage(one)
    case "mcpb":
      return unusable("mcpb", title, hashRefusal(one) ?? "bundles (mcpb) are not supported yet")
    default:
      return unusable("unknown", title, `packages of the type ${registryType.slice(0, 50)} are not supported`)
  }
}

const fromIndex = (kind: "npm" | "pypi" | "nuget", one: Package, version: string): Candidate => {
  const { base, identifier, runner, spec, version: exact } = KINDS[kind]
  const title = spec(one.identifier, version)
  if (!identifier.test(one.identifier)) return unusable(kind, title, `${one.identifier} is no name of a package`)
  if (!exact.test(version)) return unusable(kind, title, `${version} is no exact version, so what runs could change`)
  const why = baseRefusal(one, base) ?? commonRefusal(one, runner)
  if (why !== null) return unusable(kind, title, why)
  const ends = { npx: [], uvx: [], dnx: ["--yes", "--"], docker: [] }[runner]
  return program(kind, title, one, runner, {
    start: runner === "npx" ? ["-y"] : [],
    end: [title, ...ends]
  })
}

const fromImage = (one: Package): Candidate => {
  const image = imageOf(one)
  const { digest, tag } = IMAGE.exec(image)?.groups ?? {}
  if (!IMAGE.test(image)) return unusable("oci", image, "it is no name of an image, or its hash is none")
  if (digest === undefined && (tag === undefined || tag === "latest")) {
    return unusable("oci", image, "it has no exact version, so what runs could change")
  }
  const why = baseRefusal(one, /^https:\/\/(?:docker\.io|ghcr\.io|quay\.io)\/?$/) ?? commonRefusal(one, "docker")
  if (why !== null) return unusable("oci", image, why)
  const names = (one.environmentVariables ?? []).flatMap(({ name }) => ["-e", name])
  return program("oci", image, one, "docker", { start: ["run", "-i", "--rm", ...names], end: [image] })
}

/** Documents before 2025-12 have the host and the version beside the name. */
const imageOf = ({ identifier, registryBaseUrl, version }: Package): string => {
  const host = URL.parse(registryBaseUrl ?? "")?.host ?? ""
  const whole = host === "" || host === "docker.io" || identifier.startsWith(`${host}/`)
    ? identifier
    : `${host}/${identifier}`
  return version && !/[:@][^/]*$/.test(whole) ? `${whole}:${version}` : whole
}

const baseRefusal = ({ registryBaseUrl }: Package, usual: RegExp): string | null =>
  registryBaseUrl === null || registryBaseUrl === undefined || usual.test(registryBaseUrl)
    ? null
    : `its package comes from ${registryBaseUrl.slice(0, 200)}, and only the usual place is used`

const hashRefusal = ({ fileSha256 }: Package): string | null =>
  fileSha256 === null || fileSha256 === undefined || /^[0-9a-f]{64}$/i.test(fileSha256)
    ? null
    : "its hash is no SHA-256, so what is downloaded cannot be checked"

const commonRefusal = (one: Package, runner: RunnerFlags.RunnerName): string | null => {
  const { environmentVariables, runtimeHint, transport } = one
  const names = (environmentVariables ?? []).map(({ name }) => name)
  const wrong = names.find((name) => !/^[A-Za-z_]\w{0,199}$/.test(name))
  if (wrong !== undefined) return `${wrong.slice(0, 100)} is no name of a variable`
  if (new Set(names).size < names.length) return "it declares a variable twice"
  const steering = (environmentVariables ?? []).find((one) =>
    RunnerFlags.isSteeredBy(runner, one.name) && (one.value ?? one.default ?? one.choices ?? null) !== null
  )
  if (steering !== undefined) {
    return `it gives ${runner} a value for ${steering.name}, by which it could run something other than what is shown`
  }
  if (runtimeHint && runtimeHint !== runner) {
    return `it is started by ${runtimeHint.slice(0, 50)}, which is not used here`
  }
  if (transport && transport.type !== "stdio") {
    return "it opens a port of its own, and only servers over stdio are started"
  }
  return hashRefusal(one)
}

const program = (
  kind: Candidate["kind"],
  title: string,
  one: Package,
  runner: RunnerFlags.RunnerName,
  fixed: { readonly start: ReadonlyArray<string>; readonly end: ReadonlyArray<string> }
): Candidate => {
  const table = new InputTable()
  const before = (one.runtimeArguments ?? []).map((argument) => wordsOf(argument, table))
    .filter(({ tokens }) => !RunnerFlags.isStanding(runner, tokens.map(plainOf)))
  const after = (one.packageArguments ?? []).map((argument) => wordsOf(argument, table))
  const env = (one.environmentVariables ?? []).map(({ name, ...input }) => ({
    name,
    value: table.gapped(name, "environment", input)
  }))
  const options = before.map(({ tokens }) => tokens.map(plainOf))
  const refused = before.map(({ tokens }) => isFixed(tokens[0]) ? null : UNSAFE).find((why) => why !== null) ??
    options.map((words) => RunnerFlags.refusal(runner, words)).find((why) => why !== null) ??
    ([...before, ...after].every(({ tokens }) => tokens.every(isPlain)) && env.every(({ value }) => isPlain(value))
      ? null
      : HIDING)
  if (refused !== null) return unusable(kind, title, refused)
  return {
    id: `${kind}:${title}`,
    kind,
    title,
    inputs: table.all,
    warnings: options.flatMap((words) => RunnerFlags.warning(runner, words) ?? []),
    recipe: Result.succeed({
      _tag: "program",
      command: runner,
      args: [...fixed.start.map(word), ...before, ...fixed.end.map(word), ...after],
      env
    })
  }
}

const UNSAFE = "a value that is asked for would be an option of the program that starts it"

const word = (fixed: string): ArgumentWords => ({ tokens: [[{ text: fixed }]] })

const isFixed = (token: Gapped | undefined): boolean => token?.every((piece) => "text" in piece) === true

/** As it reads in the document, gaps in braces. */
const plainOf = (token: Gapped): string => token.map((piece) => "gap" in piece ? `{${piece.gap}}` : piece.text).join("")

const wordsOf = (argument: typeof Argument.Type, table: InputTable): ArgumentWords => {
  const { isRepeated, name, type, valueHint } = argument
  // Without its dashes: a key with them could not stand on a command line.
  const own = (type === "named" ? name : valueHint || name)?.replace(/^-+/, "") || "argument"
  const option: Gapped = [{ text: name ?? "" }]
  if (type === "named" && isSwitch(argument)) return { tokens: [option] }
  const value = table.gapped(own, "argument", argument, isRepeated === true)
  return { tokens: type === "named" ? [option, value] : [value] }
}

/** A name alone: nothing about it says that a value stands behind it. */
const isSwitch = (argument: typeof Argument.Type): boolean =>
  [argument.value, argument.default, argument.placeholder, argument.choices, argument.format, argument.valueHint]
    .every((one) => one === null || one === undefined) && argument.isRequired !== true && argument.isSecret !== true
