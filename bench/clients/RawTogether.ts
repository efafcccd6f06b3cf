/** As RawStdio, but the requests of one turn of the event loop leave in one write. */
import { openWith, together } from "./RawStdio.ts"

export const open = openWith(together)
