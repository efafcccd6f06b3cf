/**
 * From what a server lists to the tools that may be called: shape, read-only rule, filters and names.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as CleanText from "./CleanText.ts"
import * as ParamHeaders from "./http/ParamHeaders.ts"
import { type McpErrorReason, RejectedByPolicy, ToolsChanged } from "./McpError.ts"
import type { McpTool, RejectedTool } from "./McpTool.ts"
import * as ReadOnly from "./ReadOnly.ts"
import * as ToolName from "./ToolName.ts"
import * as JsonRpc from "./transport/JsonRpc.ts"
import * as PinVerdict from "./trust/PinVerdict.ts"

/** What discovery made of a listing. @category models */
export interface Discovered {
  /** Sorted by name. */
  readonly tools: ReadonlyArray<McpTool>
  readonly byName: ReadonlyMap<string, McpTool>
  readonly rejected: ReadonlyArray<RejectedTool>
  /** Accepted tools that say nothing about writing. */
  readonly undeclared: number
  /** Accepted tools that are not called for a model without a person's yes. */
  readonly asks: number
  /** What the definitions of all accepted tools cost a model's context. */
  readonly tokens: number
  /** What it was made from: the listing as the server wrote it, the names of all configured servers, and the pins. */
  readonly listed: ReadonlyArray<Schema.JsonObject>
  readonly servers: ReadonlyArray<string>
  readonly pins: PinVerdict.PinVerdict
  readonly isTrusted: boolean
  /** Whether arguments go into headers as well, so that a tool that asks for it wrongly cannot be called. */
  readonly isMirrored: boolean
}

/** Nothing was listed yet. @category constants */
export const NOTHING: Discovered = {
  tools: [],
  byName: new Map(),
  rejected: [],
  undeclared: 0,
  asks: 0,
  tokens: 0,
  listed: [],
  servers: [],
  pins: PinVerdict.UNPINNED,
  isTrusted: false,
  isMirrored: false
}

/**
 * Judges each listed tool by itself: one that is malformed costs that tool only (R8). `isTrusted` tells whether its
 * entry is one's own, `isMirrored` whether its arguments go into headers as well.
 *
 * @category constructors
 */
export const judge = (
  config: ServerConfig,
  listed: ReadonlyArray<Schema.JsonObject>,
  servers: ReadonlyArray<string>,
  pins: PinVerdict.PinVerdict = PinVerdict.UNPINNED,
  isTrusted = false,
  isMirrored = false
): Discovered => {
  const labels = listed.map(labelOf)
  const names = ToolName.inOrder(config.name, labels, servers)
  const isRepeated = new Set(labels).size < labels.length ? repetitions() : () => null
  const byName = new Map<string, McpTool>()
  const rejected: Array<RejectedTool> = []
  const allows = filter(config)
  const make = maker(config, isTrusted)
  listed.forEach((tool, index) => {
    const label = labels[index] ?? ""
    const name = names[index] ?? label
    const unfit = malformation(tool) ?? (isMirrored ? unsendable(tool) : null) ?? isRepeated(label) ??
      ReadOnly.rejection(annotationsOf(tool)) ??
      allows(label)
    const refusal = unfit === null ? pins.refusal(label) : null
    const reason = unfit ?? refusal ?? collision(name, byName)
    const accepted = reason === null ? make(tool, label, name) : null
    if (accepted !== null) byName.set(name, accepted)
    else rejected.push({ tool: label, name, reason: reason ?? TOO_DEEP, isChanged: refusal !== null })
  })
  const tools = [...byName.values()].sort((a, b) => a.name < b.name ? -1 : 1)
  return {
    tools,
    byName,
    rejected,
    undeclared: count(tools, ({ annotations }) => !ReadOnly.isDeclared(annotations)),
    asks: count(tools, ({ needsApproval }) => needsApproval),
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    listed,
    servers,
    pins,
    isTrusted,
    isMirrored
  }
}

const TOO_DEEP = "malformed: its schema is nested too deep"

const count = (tools: ReadonlyArray<McpTool>, is: (tool: McpTool) => boolean): number =>
  tools.reduce((sum, tool) => is(tool) ? sum + 1 : sum, 0)

/**
 * The same listing judged for other names of servers; what was judged for these very names stays.
 *
 * @category constructors
 */
export const among = (discovered: Discovered, config: ServerConfig, servers: ReadonlyArray<string>): Discovered =>
  discovered.listed.length === 0 || Equal.equals(discovered.servers, servers)
    ? discovered
    : judge(config, discovered.listed, servers, discovered.pins, discovered.isTrusted, discovered.isMirrored)

/** Why a tool that discovery left out is not called. @category getters */
export const whyLeft = (server: string, { isChanged, reason, tool }: RejectedTool): McpErrorReason =>
  isChanged ? new ToolsChanged({ server, tool, detail: reason }) : new RejectedByPolicy({ tool, why: reason })

const labelOf = (tool: Schema.JsonObject, index: number): string =>
  typeof tool["name"] === "string" && tool["name"] !== "" ? tool["name"] : `(tool ${index + 1})`

const malformation = (tool: Schema.JsonObject): string | null => {
  if (typeof tool["name"] !== "string" || tool["name"] === "") return "malformed: it has no name"
  if (!JsonRpc.isObject(tool["inputSchema"])) return "malformed: its inputSchema is not an object"
  return null
}

/** What it asks for in headers cannot be sent, so neither can it be called (2026-07-28, Streamable HTTP). */
const unsendable = ({ inputSchema }: Schema.JsonObject): string | null =>
  Result.match(ParamHeaders.declarationsOf(inputSchema), { onFailure: (why) => why, onSuccess: () => null })

const repetitions = () => {
  const seen = new Set<string>()
  return (label: string): string | null => {
    if (seen.has(label)) return "listed more than once; the first one is kept"
    seen.add(label)
    return null
  }
}

/** Two suffixes are the same once in four billion times, and then the second tool must not take the first one's place. */
const collision = (name: string, taken: ReadonlyMap<string, McpTool>): string | null =>
  taken.has(name) ? `its name ${name} is taken by another tool` : null

const annotationsOf = (tool: Schema.JsonObject): Schema.JsonObject =>
  JsonRpc.isObject(tool["annotations"]) ? tool["annotations"] : {}

const filter = ({ tools }: ServerConfig): (label: string) => string | null => {
  if (tools === null) return () => null
  const allowed = ToolGlob.compile(tools)
  return (label) => allowed.allows(label) ? null : `left out by "tools" of the entry`
}

const alwaysLoaded = ({ alwaysLoad }: ServerConfig): (label: string) => boolean => {
  if (typeof alwaysLoad === "boolean") return () => alwaysLoad
  const chosen = ToolGlob.compile(alwaysLoad)
  return (label) => chosen.allows(label)
}

/** Makes accepted tools of an entry; null where the schema is nested so deep that nobody could write it out. */
const maker = (config: ServerConfig, isTrusted: boolean) => {
  const isAlwaysLoaded = alwaysLoaded(config)
  // Whatever the tool says of itself: hints lower no question (R73).
  const asked = ToolGlob.compile(config.ask)
  return (tool: Schema.JsonObject, label: string, name: string): McpTool | null => {
    const annotations = annotationsOf(tool)
    const description = textOf(tool["description"])
    const inputSchema = JsonRpc.isObject(tool["inputSchema"]) ? tool["inputSchema"] : {}
    const characters = charactersOf({ name, description, inputSchema })
    return characters === null ? null : {
      name,
      server: config.name,
      tool: label,
      title: textOf(tool["title"]) ?? textOf(annotations["title"]),
      description,
      inputSchema,
      outputSchema: JsonRpc.isObject(tool["outputSchema"]) ? tool["outputSchema"] : null,
      annotations,
      tokens: Math.ceil(characters / 4),
      maxResultBytes: config.maxResultBytes,
      prefersStructured: config.results === "structured",
      isAlwaysLoaded: isAlwaysLoaded(label),
      needsApproval: asked.allows(label),
      isTrusted
    }
  }
}

/** A value that is nested thousands of levels deep overflows the stack of whoever writes it out. */
const charactersOf = (definition: object): number | null =>
  Result.getOrElse(Result.try(() => JSON.stringify(definition).length), () => null)

const textOf = (value: Schema.Json | undefined): string | null =>
  typeof value === "string" ? CleanText.clean(value) : null
