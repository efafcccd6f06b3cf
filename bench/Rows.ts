/** Every row of the table, in its order. */
import { callRows, type Extent } from "./rows/CallRows.ts"
import { gatewayRows } from "./rows/GatewayRows.ts"
import { hostRows } from "./rows/HostRows.ts"
import { observedRows } from "./rows/ObservedRows.ts"
import { sandboxRows } from "./rows/SandboxRows.ts"
import { sizeRows } from "./rows/SizeRows.ts"
import { startRows } from "./rows/StartRows.ts"
import { toolRows } from "./rows/ToolRows.ts"
import { weightRows } from "./rows/WeightRows.ts"
import type { Row } from "./support/Harness.ts"

export const rows = (extent: Extent): ReadonlyArray<Row> => [
  ...callRows(extent),
  ...startRows(),
  ...sizeRows(extent),
  ...toolRows(extent),
  ...weightRows(extent),
  ...hostRows(extent),
  ...observedRows(extent),
  ...sandboxRows(extent),
  ...gatewayRows(extent)
]
