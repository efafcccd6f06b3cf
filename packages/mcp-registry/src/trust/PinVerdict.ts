/** The verdict of pins on a listing: the differences, their effect by the policy, and the words for them. */
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import { CleanText, JsonValue, Redaction } from "@boocode/mcp-client/Text"
import type { ServerConfig } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { PinnedServer } from "./PinSchemas.ts"
import * as ToolDifference from "./ToolDifference.ts"
import * as ToolPrint from "./ToolPrint.ts"

export interface PinVerdict {
  /** Why a tool, by its raw name, is left out; null for one that is not. */
  readonly refusal: (tool: string) => string | null
  readonly warnings: ReadonlyArray<string>
  /** Null when the tools are as they were pinned, when they are not pinned, or when that cannot be told. */
  readonly difference: ToolDifference.ToolDifference | null
  /** The hash of this listing; null when it was not looked at. */
  readonly hash: string | null
  /** Pins exactly this listing; null when that would change nothing. */
  readonly accept: Effect.Effect<void, McpErrorReason> | null
}

/** Nothing is pinned. */
export const UNPINNED: PinVerdict = { refusal: () => null, warnings: [], difference: null, hash: null, accept: null }

export interface Judged {
  readonly config: ServerConfig
  readonly version: string | null
  readonly listing: ToolPrint.ListingPrint
  readonly accept: Effect.Effect<void, McpErrorReason>
}

/** The listing is as it was pinned, or is pinned now. */
export const same = ({ config, listing }: Pick<Judged, "config" | "listing">): PinVerdict => {
  const opaque = new Set(listing.tools.filter(({ text }) => text === null).map(({ name }) => name))
  return {
    ...UNPINNED,
    hash: listing.hash,
    refusal: (tool) => config.pin === "block" && opaque.has(tool) ? TOO_DEEP : null
  }
}

const TOO_DEEP = "its definition is nested too deep to be compared"

/** There are pins that cannot be used, so nothing is as it was pinned. */
export const unusable = ({ accept, config, listing }: Judged, why: string): PinVerdict => {
  const isBlocked = config.pin === "block"
  const remark = `its tools cannot be compared with what they were: ${why}`
  return {
    refusal: () => isBlocked ? remark : null,
    warnings: [`${remark}; ${isBlocked ? "they are blocked until" : "pin them anew with"} ${command(config)}`],
    difference: null,
    hash: listing.hash,
    accept
  }
}

export const compare = Effect.fnUntraced(function*(
  judged: Judged,
  pinned: PinnedServer
): Effect.fn.Return<PinVerdict, never, Digest.Digest> {
  const { accept, config, listing } = judged
  if (listing.hash === pinned.hash) return same(judged)
  const difference = yield* differenceOf(judged, pinned)
  const refusals = config.pin === "block" ? refusalsOf(difference) : new Map<string, string>()
  const { refusal } = same(judged)
  return {
    refusal: (tool) => refusals.get(tool) ?? refusal(tool),
    warnings: [inWords(config, difference)],
    difference: shown(difference),
    hash: listing.hash,
    accept
  }
})

const differenceOf = Effect.fnUntraced(function*({ config, listing, version }: Judged, pinned: PinnedServer) {
  const scrub = Redaction.revealingScrubber(config)
  const was = new Map(pinned.tools.map((tool) => [tool.name, tool]))
  const changed: Array<ToolDifference.ToolDifference["changed"][number]> = []
  const added: Array<ToolDifference.ToolDifference["added"][number]> = []
  for (const print of listing.tools) {
    const { name } = print
    const before = was.get(name)
    was.delete(name)
    // Pins hold no secret either, so equal texts stay equal.
    const now = JsonValue.mapTexts(print.definition, scrub)
    if (before === undefined) added.push({ tool: name, description: textOf(now?.["description"]) })
    else if (before.hash !== (yield* ToolPrint.hash(print))) {
      changed.push({ tool: name, parts: ToolDifference.parts(before.definition, now) })
    }
  }
  return {
    pinnedAt: pinned.pinnedAt,
    versionBefore: pinned.version,
    versionAfter: version,
    changed,
    added,
    removed: [...was.keys()]
  } satisfies ToolDifference.ToolDifference
})

const textOf = (value: unknown): string | null => typeof value === "string" ? value : null

const refusalsOf = ({ added, changed }: ToolDifference.ToolDifference): ReadonlyMap<string, string> =>
  new Map([
    ...changed.map(({ parts, tool }) => [tool, `it is not as it was pinned: ${placesOf(parts)} changed`] as const),
    ...added.map(({ tool }) => [tool, "it was not there when the tools of its server were pinned"] as const)
  ])

/** The first words of each path, once: what changed as a person would name it. */
const placesOf = (parts: ReadonlyArray<ToolDifference.PartChange>): string =>
  [...new Set(parts.map(({ path }) => path.split("/")[1] ?? "its definition"))].join(", ")

const inWords = (config: ServerConfig, { added, changed, removed }: ToolDifference.ToolDifference): string => {
  const words = [
    ...(changed.length === 0 ? [] : [`changed ${listed(changed)}`]),
    ...(added.length === 0 ? [] : [`added ${listed(added)}`]),
    ...(removed.length === 0 ? [] : [`removed ${listed(removed.map((tool) => ({ tool })))}`])
  ]
  const blocked = config.pin === "block" && changed.length + added.length > 0
  return `its tools are not as they were pinned: ${words.join("; ")}. ` +
    `${blocked ? "What changed or is new is blocked until it is accepted" : "Accept them"} with ${command(config)}`
}

const MOST_NAMED = 5

const listed = (tools: ReadonlyArray<{ readonly tool: string }>): string => {
  const names = tools.slice(0, MOST_NAMED).map(({ tool }) => CleanText.visibleText(tool))
  return names.join(", ") + (tools.length > MOST_NAMED ? ` and ${tools.length - MOST_NAMED} more` : "")
}

const command = ({ name }: ServerConfig): string => `boocode mcp approve ${CleanText.visibleWord(name)}`

/** The most tools of a kind that are told one by one. */
const MOST_SHOWN = 100
const LONGEST = 2000

const shown = (difference: ToolDifference.ToolDifference): ToolDifference.ToolDifference => ({
  ...difference,
  changed: difference.changed.slice(0, MOST_SHOWN).map(({ parts, tool }) => ({
    tool: CleanText.visibleText(tool),
    parts
  })),
  added: difference.added.slice(0, MOST_SHOWN).map(({ description, tool }) => ({
    tool: CleanText.visibleText(tool),
    description: description === null ? null : CleanText.visibleText(description.slice(0, LONGEST))
  })),
  removed: difference.removed.slice(0, MOST_SHOWN).map(CleanText.visibleText)
})
