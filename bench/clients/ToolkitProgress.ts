/** As Toolkit, with the progress of each call, as a chat shows it. */
import { openWith } from "./Toolkit.ts"

export const open = openWith(true)
