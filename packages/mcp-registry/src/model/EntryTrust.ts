/** Whether what a server says of itself counts. */
import type { ConfiguredServer } from "@boocode/mcp-config"

/** Whether what its tools say of themselves counts. */
export const isBelieved = ({ declared, needsApproval }: ConfiguredServer): boolean =>
  !needsApproval && declared?.scope !== "project"
