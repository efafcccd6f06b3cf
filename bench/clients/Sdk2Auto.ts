/** The official SDK, version 2, finding out which revision of the protocol a server speaks. */
import { openWith } from "./Sdk2.ts"

export const open = openWith({ versionNegotiation: { mode: "auto" } })
