/** Tables of documents that tests keep true. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { CHECKOUT } from "./Command.ts"

/** A document of the checkout, its tables as before they were laid out in columns. */
export const read = (file: string): string => unpadded(readFileSync(join(CHECKOUT, file), "utf8"))

/** A table as `read` gives it. */
export const unpadded = (text: string): string => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---")
