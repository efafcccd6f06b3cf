/** The keys an entry of the native shape may have, and those of other applications that people paste along with it. */
import * as EntryKeys from "../model/EntryKeys.ts"

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

/** Keys known from other applications that say nothing this one could do. They are ignored in silence. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set([
  // Registries, marketplaces and people's own labels.
  ["name", "title", "description", "version", "tags", "icon", "icons", "gallery", "metadata", "homepage"],
  // Cursor.
  ["auth"],
  // VS Code.
  ["dev", "sandbox", "sandboxEnabled"],
  // opencode.
  ["codemode"],
  // Gemini CLI.
  ["trust", "authProviderType", "targetAudience", "targetServiceAccount", "extensionName"],
  // Codex.
  ["required", "supports_parallel_tool_calls", "default_tools_approval_mode", "environment_id", "omit_tools_from"],
  ["scopes", "oauth_resource", "experimental_environment"],
  // Kode.
  ["ideName", "authToken"],
  // goose.
  ["bundled", "display_name"],
  // 1MCP.
  ["toolDescriptionOverrides", "instructionOverride", "maxRestarts", "restartDelay"],
  // Cline and Roo.
  ["autoApprove", "alwaysAllow", "watchPaths"]
].flat())

/** True for a key that is ignored without a word: one of another application, or a remark such as `_note` or `//`. */
export const isSilent = (key: string): boolean => FOREIGN_KEYS.has(key) || /^(_|\$|\/\/)/.test(key)
