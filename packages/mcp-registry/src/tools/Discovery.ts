/** Takes or rejects each tool that a server lists, by its shape, class, filters and name. */
import { type McpErrorReason, RejectedByPolicy, ToolsChanged } from "@boocode/mcp-client/McpError"
import { ArgumentHeaders } from "@boocode/mcp-client/Protocol"
import { CleanText, JsonRpc, JsonValue } from "@boocode/mcp-client/Text"
import type { ServerConfig } from "@boocode/mcp-config"
import { ToolGlob } from "@boocode/tool-glob"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { McpTool, RejectedTool } from "../model/McpTool.ts"
import * as Passed from "../model/Passed.ts"
import * as ToolClass from "../model/ToolClass.ts"
import * as ToolTarget from "../model/ToolTarget.ts"
import * as ToolUi from "../model/ToolUi.ts"
import * as PinVerdict from "../trust/PinVerdict.ts"
import * as ToolName from "./ToolName.ts"

/** A listing after discovery. */
export interface Discovered {
  /** Sorted by name. */
  readonly tools: ReadonlyArray<McpTool>
  readonly byName: ReadonlyMap<string, McpTool>
  readonly rejected: ReadonlyArray<RejectedTool>
  /** The rejected tools that are left out only because they write, unless the entry says `"writes": "off"`. Sorted by name. */
  readonly writers: ReadonlyArray<McpTool>
  /** The tools that no model may call: apps of the server call them. Those that write are among them, unless the entry says `"writes": "off"`. Sorted by name. */
  readonly appTools: ReadonlyArray<McpTool>
  /** How many tools of each class there are, those included that are left out only because they write. */
  readonly classes: Readonly<Record<ToolClass.ToolClass, number>>
  /** The remarks on keys of the entry that count for nothing. */
  readonly remarks: ReadonlyArray<string>
  /** Accepted tools that say nothing about writing. */
  readonly undeclared: number
  /** Accepted tools that are not called for a model without a person's yes. */
  readonly asks: number
  /** The tokens that the definitions of all accepted tools take of a model's context. */
  readonly tokens: number
  /** Its source: the listing as the server wrote it, the names of all configured servers, and the pins. */
  readonly listed: ReadonlyArray<Schema.JsonObject>
  readonly servers: ReadonlyArray<string>
  readonly pins: PinVerdict.PinVerdict
  readonly isTrusted: boolean
  /** Whether arguments go into headers as well, so that a tool that asks for it wrongly cannot be called. */
  readonly isMirrored: boolean
}

/** Nothing was listed yet. */
export const NOTHING: Discovered = {
  tools: [],
  byName: new Map(),
  rejected: [],
  writers: [],
  appTools: [],
  classes: { reads: 0, undeclared: 0, writes: 0, destroys: 0 },
  remarks: [],
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
  const lengths = schemaLengths(listed)
  const judging = new Judging(config, pins, isTrusted, isMirrored)
  listed.forEach((tool, index) => {
    const label = labels[index] ?? ""
    judging.take(tool, label, names[index] ?? label, lengths[index] ?? null)
  })
  const { appTools, asks, byName, classes, rejected, remarks, tokens, tools, undeclared, writers } = judging
  tools.sort(alphabetically)
  writers.sort(alphabetically)
  appTools.sort(alphabetically)
  return {
    ...{ tools, byName, rejected, writers, appTools, classes, remarks, undeclared, asks, tokens },
    ...{ listed, servers, pins, isTrusted, isMirrored }
  }
}

const alphabetically = (one: McpTool, other: McpTool): number => one.name < other.name ? -1 : 1

/** The tools judged so far. */
class Judging {
  readonly tools: Array<McpTool> = []
  readonly byName = new Map<string, McpTool>()
  readonly rejected: Array<RejectedTool> = []
  readonly writers: Array<McpTool> = []
  readonly appTools: Array<McpTool> = []
  readonly classes = { ...NOTHING.classes }
  readonly remarks: Array<string> = []
  undeclared = 0
  asks = 0
  tokens = 0
  /** Names of tools that were left out although they are well formed. */
  private readonly left = new Set<string>()
  private readonly config: ServerConfig
  private readonly allows: (label: string) => string | null
  private readonly pins: PinVerdict.PinVerdict
  private readonly isTrusted: boolean
  private readonly make: Make
  private readonly isMirrored: boolean

  constructor(config: ServerConfig, pins: PinVerdict.PinVerdict, isTrusted: boolean, isMirrored: boolean) {
    this.config = config
    this.allows = filter(config)
    this.pins = pins
    this.isTrusted = isTrusted
    this.make = maker(config, isTrusted)
    this.isMirrored = isMirrored
  }

  /** `length` is that of its schema; null where the tool cannot be sent on. */
  take(tool: Schema.JsonObject, label: string, name: string, length: number | null): void {
    const annotations = annotationsOf(tool)
    const holder = this.byName.get(name)
    const { ignored, toolClass, whyWriter } = ToolClass.classify(this.config, this.isTrusted, label, annotations)
    const misfit = malformation(tool) ?? (this.isMirrored ? unsendable(tool) : null)
    const broken = misfit ?? this.repetition(label, holder) ?? tasksOnly(tool)
    const unfit = broken ?? this.allows(label)
    const refusal = unfit === null ? this.pins.refusal(label) : null
    const obstacle = unfit ?? refusal ?? collision(name, holder)
    if (ignored !== null && broken === null) this.remarks.push(ignored)
    const made = obstacle === null && length !== null
      ? this.make(tool, label, name, annotations, length, toolClass)
      : null
    const why = this.config.writes === "ask" ? null : whyWriter
    if (made !== null && !ToolUi.of(made).isForModels) {
      if (why === null || this.config.writes !== "off") this.appTools.push(made)
      this.left.add(label)
      return
    }
    if (made !== null) this.classes[toolClass]++
    if (made !== null && why === null) return this.accept(made)
    if (misfit === null) this.left.add(label)
    if (made !== null && this.config.writes !== "off") this.writers.push(made)
    this.rejected.push({
      ...{ server: this.config.name, tool: label, name, class: toolClass },
      isOpenWorld: ToolClass.isOpenWorld(annotations),
      reason: broken ?? why ?? obstacle ?? UNSPEAKABLE,
      isChanged: refusal !== null && why === null,
      isWriter: made !== null,
      hint: made === null ? null : this.offer
    })
  }

  private accept(tool: McpTool): void {
    this.tools.push(tool)
    this.byName.set(tool.name, tool)
    this.tokens += tool.tokens
    if (tool.needsApproval) this.asks++
    if (tool.class === "undeclared") this.undeclared++
  }
  /** How a person has the writing tools of this server. */
  private get offer(): string {
    return this.isTrusted
      ? `boocode mcp writes ${CleanText.visibleWord(this.config.name)} ask offers it, each call with your yes`
      : OWN_FILE
  }
  /** The first of a name stays, and so does what was said of it. */
  private repetition(label: string, holder: McpTool | undefined): string | null {
    const isRepeated = holder?.tool === label || this.left.size > 0 && this.left.has(label)
    return isRepeated ? "listed more than once; the first one is kept" : null
  }
}

/** Two suffixes are the same once in four billion times, and then the second tool must not take the first one's place. */
const collision = (name: string, holder: McpTool | undefined): string | null =>
  holder === undefined ? null : `its name ${name} is taken by another tool`

const OWN_FILE = "a project file cannot offer it: write the entry into a file of your own, with \"writes\": \"ask\""

const UNSPEAKABLE = "malformed: it is nested too deep, or a number in it is too large to be sent on"

/** Judges the listing again for other names of servers; for the names it was judged for it stays. */
export const among = (discovered: Discovered, config: ServerConfig, servers: ReadonlyArray<string>): Discovered =>
  discovered.listed.length === 0 || Equal.equals(discovered.servers, servers)
    ? discovered
    : again({ ...discovered, servers }, config)

/** Judges the listing again by another entry. */
export const again = (
  { isMirrored, isTrusted, listed, pins, servers }: Discovered,
  config: ServerConfig
): Discovered => judge(config, listed, servers, pins, isTrusted, isMirrored)

/** Whether a tool of this raw name may be called: an accepted one, and with `writes` one that only writes. */
export const offers = (
  { appTools, tools, writers }: Pick<Discovered, "appTools" | "tools" | "writers">,
  label: string,
  writes: boolean
): boolean =>
  tools.some(({ tool }) => tool === label) || (writes && writers.some(({ tool }) => tool === label)) ||
  appTools.some((one) => one.tool === label && (writes || !ToolClass.isWriter(one.class)))

/** Why a tool that discovery left out is not called. */
export const whyLeft = ({ hint, isChanged, reason, server, tool }: RejectedTool): McpErrorReason =>
  isChanged
    ? new ToolsChanged({ server, tool, detail: reason })
    : new RejectedByPolicy({ tool, why: reason, advice: hint })

const labelOf = (tool: Schema.JsonObject, index: number): string =>
  typeof tool["name"] === "string" && tool["name"] !== "" ? tool["name"] : `(tool ${index + 1})`

const malformation = (tool: Schema.JsonObject): string | null => {
  if (typeof tool["name"] !== "string" || tool["name"] === "") return "malformed: it has no name"
  if (!JsonRpc.isObject(tool["inputSchema"])) return "malformed: its inputSchema is not an object"
  return null
}

/** A tool whose headers cannot be sent cannot be called (2026-07-28, Streamable HTTP). */
const unsendable = ({ inputSchema }: Schema.JsonObject): string | null =>
  Result.match(ArgumentHeaders.declarationsOf(inputSchema), { onFailure: (why) => why, onSuccess: () => null })

/** Why no tool that says this of how it runs is offered. */
const tasksOnly = ({ execution }: Schema.JsonObject): string | null =>
  JsonRpc.isObject(execution) && execution["taskSupport"] === "required" ? TASKS_ONLY : null

/** Revision 2025-11-25, Tasks: a plain call of it is an error. */
const TASKS_ONLY = "runs as a task only (taskSupport is required), which BooCode does not support"

const annotationsOf = ({ annotations }: Schema.JsonObject): Schema.JsonObject =>
  JsonRpc.isObject(annotations) ? annotations : NONE

const NONE: Schema.JsonObject = {}

const filter = ({ tools }: ServerConfig): (label: string) => string | null => {
  if (tools === null) return () => null
  const allowed = ToolGlob.compile(tools)
  return (label) => allowed.allows(label) ? null : `left out by "tools" of the entry`
}

const alwaysLoaded = ({ alwaysLoad }: ServerConfig): (label: string) => boolean =>
  typeof alwaysLoad === "boolean" ? () => alwaysLoad : chosen(alwaysLoad)

const chosen = (patterns: ReadonlyArray<string>): (label: string) => boolean =>
  patterns.length === 0 ? () => false : ToolGlob.compile(patterns).allows

type Make = (
  tool: Schema.JsonObject,
  label: string,
  name: string,
  annotations: Schema.JsonObject,
  schemaLength: number,
  toolClass: ToolClass.ToolClass
) => McpTool

/** Makes tools of an entry, with clean texts. */
const maker = (config: ServerConfig, isTrusted: boolean): Make => {
  const { ask, maxResultBytes, name: server, results, writes } = config
  const textOf = (value: Schema.Json | undefined) => typeof value === "string" ? CleanText.clean(value) : null
  const isAlwaysLoaded = alwaysLoaded(config)
  // A tool's own hints lower no question (R73).
  const isAsked = chosen(ask)
  const target = ToolTarget.of(config)
  return (listed, label, name, annotations, schemaLength, toolClass) => {
    const { description, inputSchema, outputSchema, title } = listed
    const words = textOf(description)
    return {
      name,
      server,
      tool: label,
      title: textOf(title) ?? textOf(annotations["title"]),
      description: words,
      inputSchema: JsonRpc.isObject(inputSchema) ? inputSchema : NONE,
      outputSchema: JsonRpc.isObject(outputSchema) ? outputSchema : null,
      annotations,
      class: toolClass,
      isOpenWorld: ToolClass.isOpenWorld(annotations),
      target: target(label),
      tokens: Math.ceil((FRAME + name.length + (words?.length ?? 0) + schemaLength) / 4),
      maxResultBytes,
      prefersStructured: results === "structured",
      isAlwaysLoaded: isAlwaysLoaded(label),
      needsApproval: ToolClass.isWriter(toolClass) || isAsked(label),
      isAsked: isAsked(label),
      isOffered: writes === "ask",
      isTrusted,
      ...(listed["_meta"] === undefined && listed["icons"] === undefined ? {} : Passed.of(listed))
    }
  }
}

/** The characters around the parts of a definition. */
const FRAME = JSON.stringify({ name: "", description: "", inputSchema: {} }).length - 2

/**
 * How many characters each schema takes; null of a tool that cannot be sent on: nested thousands of levels deep, it overflows
 * the stack when it is written out, and `1e400` is infinite here, which is no JSON.
 */
const schemaLengths = (listed: ReadonlyArray<Schema.JsonObject>): ReadonlyArray<number | null> =>
  Result.getOrElse(
    Result.try((): ReadonlyArray<number | null> => listed.map(schemaLength)),
    // Most lists have none, and to try each tool by itself takes longer.
    () => listed.map((tool) => Result.getOrElse(Result.try(() => schemaLength(tool)), () => null))
  )

const schemaLength = ({ annotations, inputSchema, outputSchema }: Schema.JsonObject): number | null =>
  lengthOf(annotations) === null || lengthOf(outputSchema) === null ? null : lengthOf(inputSchema)

const lengthOf = (part: Schema.Json | undefined): number | null => {
  if (part === undefined) return 0
  const text = JSON.stringify(part)
  // An infinite number is written as null.
  return text.includes("null") && !JsonValue.isSound({ part }) ? null : text.length
}
