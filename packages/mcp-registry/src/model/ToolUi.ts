/** The part of a tool that is about apps (MCP Apps, 2026-01-26): its app, and who may call it. */
import { JsonRpc } from "@boocode/mcp-client/Text"
import type * as Schema from "effect/Schema"
import type { Passed } from "./Passed.ts"

export interface ToolUi {
  /** The `ui://` resource that shows the tool's results; null where the tool has no app. */
  readonly resourceUri: string | null
  readonly isForModels: boolean
  /** Whether apps of its own server may call it. */
  readonly isForApps: boolean
}

const NONE: ToolUi = { resourceUri: null, isForModels: true, isForApps: true }

/** The scheme of apps' resources. */
const SCHEME = "ui://"

/** Whether this is the address of an app's document. */
export const isAppUri = (uri: unknown): uri is string =>
  typeof uri === "string" && uri.startsWith(SCHEME) && uri.length > SCHEME.length

/** As `_meta.ui` says it, else `_meta["ui/resourceUri"]` of earlier drafts. Without a list everybody may call the tool. */
export const ofMeta = (meta: Schema.Json | undefined): ToolUi => {
  if (!JsonRpc.isObject(meta)) return NONE
  const ui = JsonRpc.isObject(meta["ui"]) ? meta["ui"] : {}
  const { visibility } = ui
  const isFor = (caller: string) => !Array.isArray(visibility) || visibility.includes(caller)
  const uri = ui["resourceUri"] ?? meta["ui/resourceUri"]
  return { resourceUri: isAppUri(uri) ? uri : null, isForModels: isFor("model"), isForApps: isFor("app") }
}

/** Reads it of a tool that passed discovery. */
export const of = ({ passed }: Passed): ToolUi => ofMeta(passed?.["_meta"])
