/**
 * Why keys of other applications have no place here.
 */

/** Why a key is not taken over, and whether its server behaves differently for that. */
export interface Reason {
  readonly detail: string
  readonly matters: boolean
}

/** Gives the reason for a key that is known to be another application's; null for one that nobody knows. */
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
  ...reasons("nobody is asked before a call here, unless \"ask\" says so", false, [
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
