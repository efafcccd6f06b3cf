/**
 * From what a server lists to the tools that may be called: shape, read-only rule, filters and names.
 */
import type { ServerConfig } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as CleanText from "./CleanText.ts"
import { type McpErrorReason, RejectedByPolicy, ToolsChanged } from "./McpError.ts"
import type { McpTool, RejectedTool } from "./McpTool.ts"
import * as ReadOnly from "./ReadOnly.ts"
import * as ParamHeaders from "./sdk/ParamHeaders.ts"
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
  const named = listed.map((tool, index) => ({ tool, label: labelOf(tool, index) }))
  const names = ToolName.assign(config.name, named.map(({ label }) => label), servers)
  const seen = new Set<string>()
  const taken = new Set<string>()
  const tools: Array<McpTool> = []
  const rejected: Array<RejectedTool> = []
  const allows = filter(config)
  const isAlwaysLoaded = alwaysLoaded(config)
  // Whatever the tool says of itself: hints lower no question (R73).
  const asked = ToolGlob.compile(config.ask)
  for (const { label, tool } of named) {
    const name = names.get(label) ?? label
    const unfit = malformation(tool) ?? (isMirrored ? unsendable(tool) : null) ?? repetition(label, seen) ??
      ReadOnly.rejection(annotationsOf(tool)) ??
      allows(label)
    const refusal = unfit === null ? pins.refusal(label) : null
    const reason = unfit ?? refusal ?? collision(name, taken)
    if (reason !== null) {
      rejected.push({ tool: label, name, reason, isChanged: refusal !== null })
      continue
    }
    // A schema that is nested thousands of levels deep overflows the stack of whoever writes it out.
    Result.match(Result.try(() => toTool(config, tool, label, name)), {
      onSuccess: (accepted) =>
        void tools.push({
          ...accepted,
          isAlwaysLoaded: isAlwaysLoaded(label),
          needsApproval: asked.allows(label),
          isTrusted
        }),
      onFailure: () => {
        const reason = "malformed: its schema is nested too deep"
        rejected.push({ tool: label, name, reason, isChanged: false })
      }
    })
  }
  tools.sort((a, b) => a.name < b.name ? -1 : 1)
  const undeclared = tools.filter(({ annotations }) => !ReadOnly.isDeclared(annotations)).length
  const asks = tools.filter(({ needsApproval }) => needsApproval).length
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return { tools, byName, rejected, undeclared, asks, listed, servers, pins, isTrusted, isMirrored }
}

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

const repetition = (label: string, seen: Set<string>): string | null => {
  if (seen.has(label)) return "listed more than once; the first one is kept"
  seen.add(label)
  return null
}

/** Two suffixes are the same once in four billion times, and then the second tool must not take the first one's place. */
const collision = (name: string, taken: Set<string>): string | null => {
  if (taken.has(name)) return `its name ${name} is taken by another tool`
  taken.add(name)
  return null
}

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

const toTool = (
  config: ServerConfig,
  tool: Schema.JsonObject,
  label: string,
  name: string
): Omit<McpTool, "isAlwaysLoaded" | "needsApproval" | "isTrusted"> => {
  const description = textOf(tool["description"])
  const inputSchema = JsonRpc.isObject(tool["inputSchema"]) ? tool["inputSchema"] : {}
  return {
    name,
    server: config.name,
    tool: label,
    title: textOf(tool["title"]) ?? textOf(annotationsOf(tool)["title"]),
    description,
    inputSchema,
    outputSchema: JsonRpc.isObject(tool["outputSchema"]) ? tool["outputSchema"] : null,
    annotations: annotationsOf(tool),
    tokens: Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4),
    maxResultBytes: config.maxResultBytes,
    prefersStructured: config.results === "structured"
  }
}

const textOf = (value: Schema.Json | undefined): string | null =>
  typeof value === "string" ? CleanText.clean(value) : null
