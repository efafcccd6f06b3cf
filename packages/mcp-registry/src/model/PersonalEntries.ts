/** Which entries are personal. Pure. */
import type { ConfiguredServer } from "@boocode/mcp-config"

/** An entry as it is for a host without several people, or with them. */
export const among = (areSeveral: boolean, entry: ConfiguredServer): ConfiguredServer =>
  !areSeveral && entry.personal?.amongSeveral === true ? { ...entry, personal: undefined } : entry
