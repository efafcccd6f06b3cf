/** The keys an entry of the native shape may have, and those of other applications that people paste along with it. */
import * as EntryKeys from "../model/EntryKeys.ts"
import { slips } from "../model/Nearest.ts"

/** Keys that only a server with a `command` has. */
export const STDIO_KEYS: ReadonlyArray<string> = Object.keys(EntryKeys.STDIO)

/** Keys that only a server with a `url` has. */
export const HTTP_KEYS: ReadonlyArray<string> = Object.keys(EntryKeys.HTTP)

/** Every key of an entry. */
export const NATIVE_KEYS: ReadonlyArray<string> = [
  ...STDIO_KEYS,
  ...HTTP_KEYS,
  ...Object.keys(EntryKeys.GENERAL),
  ...Object.keys(EntryKeys.OPTIONS)
]

/**
 * Keys other applications use for what a native key says. They are not read, and a warning names the native key:
 * staying silent would drop what the person wrote.
 */
export const COUNTERPARTS: ReadonlyMap<string, string> = new Map([
  ["environment", "env"], // opencode
  ["envs", "env"], // goose
  ["cmd", "command"], // goose
  ["uri", "url"], // goose
  ["httpUrl", "url"], // Gemini CLI
  ["serverUrl", "url"], // Windsurf
  ["http_headers", "headers"], // Codex
  ["env_http_headers", "headers"], // Codex
  ["bearer_token_env_var", "headers"], // Codex
  ["http_headers_helper", "headersHelper"], // Codex
  ["env_vars", "inheritEnv"], // Codex
  ["env_keys", "inheritEnv"], // goose
  ["inheritParentEnv", "inheritEnv"], // 1MCP
  ["envFilter", "inheritEnv"], // 1MCP
  ["startup_timeout_sec", "startupTimeout"], // Codex
  ["startup_timeout_ms", "startupTimeout"], // Codex
  ["tool_timeout_sec", "timeout"], // Codex
  ["connectionTimeout", "startupTimeout"], // 1MCP
  ["requestTimeout", "timeout"], // 1MCP
  ["restartOnExit", "restart"], // 1MCP
  ["includeTools", "tools"], // Gemini CLI
  ["excludeTools", "tools"], // Gemini CLI
  ["enabled_tools", "tools"], // Codex
  ["disabled_tools", "tools"], // Codex
  ["available_tools", "tools"], // goose
  ["disabledTools", "tools"], // 1MCP, Roo
  ["transport", "type"], // FastMCP, LangChain
  ["transportType", "type"] // Cline
])

/** Why a key is not taken over, and whether its server behaves differently for that. */
export interface Reason {
  readonly detail: string
  readonly matters: boolean
}

/** Gives the reason for a key that is known to be another application's; null for any other key. */
export const reasonFor = (key: string): Reason | null => {
  if (/^(_|\$|\/\/)/.test(key)) return REMARK
  return REASONS.get(key) ?? null
}

const REMARK: Reason = { detail: "a remark, not read", matters: false }

const reasons = (detail: string, matters: boolean, keys: ReadonlyArray<string>) =>
  keys.map((key) => [key, { detail, matters }] as const)

const REASONS: ReadonlyMap<string, Reason> = new Map([
  ...reasons(
    "a label; servers are shown by their names here",
    false,
    [
      ["name", "title", "description", "version", "tags", "icon", "icons", "gallery", "metadata", "homepage"],
      ["display_name", "ideName", "extensionName", "remoteConfigured", "bundled"]
    ].flat()
  ),
  ...reasons("calls start without asking here, unless \"ask\" names the tool", false, [
    ...["autoApprove", "alwaysAllow", "trust"]
  ]),
  ...reasons("a way to sign in that \"oauth\" of an entry does not know; a header with a variable is read", false, [
    ...["auth", "oauth_resource", "scopes", "authToken"],
    ...["authProviderType", "targetAudience", "targetServiceAccount"]
  ]),
  ...reasons("servers are not confined here", true, ["sandbox", "sandboxEnabled"]),
  ...reasons("an aid for developing a server; not here", false, ["dev", "watchPaths"]),
  ...reasons("says how that application offers the tools; not here", false, [
    ...["codemode", "required", "supports_parallel_tool_calls", "omit_tools_from"]
  ]),
  ...reasons("says where that application runs the server; here it is this machine", true, [
    ...["environment_id", "experimental_environment"]
  ]),
  ...reasons("texts of a server are not changed here", true, ["toolDescriptionOverrides", "instructionOverride"]),
  ...reasons("how often and how soon a server is started again is not set here", false, [
    ...["maxRestarts", "restartDelay"]
  ]),
  ...reasons("this transport is not spoken here", true, ["tcp"])
])

/** True for a key that is ignored without a word: one of another application, or a remark such as `_note` or `//`. */
export const isSilent = (key: string): boolean => key === "default_tools_approval_mode" || reasonFor(key) !== null

/** The words of other programs for `for`. */
const AUDIENCE_WORDS: ReadonlyArray<string> = ["audience", "audiences"]

/** True for an unknown key that can have been meant to be `for`: another case, another word for it, or one slip away. */
export const isLikeAudience = (key: string): boolean => {
  if (key.length > 9 || NATIVE_KEYS.includes(key) || isSilent(key)) return false
  const letters = key.toLowerCase()
  return AUDIENCE_WORDS.includes(letters) || slips(letters, "for", 1) <= 1
}
