/**
 * Ten stdio servers of which one is hung or slow, or nine without it: milliseconds until the tools of the nine can be
 * called, and each of them was. `node programs/Nine.ts CLIENT --tenth none|hung|slow`
 */
import { parseArgs } from "node:util"
import { type Servers, TEXT } from "../support/Client.ts"
import { imported, say, STDIO, stdio } from "../support/Program.ts"

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: { tenth: { type: "string", default: "none" } }
})
const nine = Array.from({ length: 9 }, (_, at) => `server${at}`)
/** A shell, because the start of one more Node would slow the others down, hung or not. Both end with their input. */
const shell = (script: string) => ({ command: "sh", args: ["-c", script] })
const tenths: Readonly<Record<string, Servers>> = {
  none: {},
  // The shell stays, so that its output is open and says nothing.
  hung: { bad: shell("cat > /dev/null; exit 0") },
  slow: { bad: shell(`sleep 3; exec "${process.execPath}" "${STDIO}"`) }
}

const { open } = await imported(side)
const start = performance.now()
const client = await open(
  { ...tenths[values.tenth], ...Object.fromEntries(nine.map((name) => [name, stdio()])) },
  nine.length
)
await Promise.all(nine.map((name) => client.call(name, "echo", { text: TEXT })))
// A close may wait for the bad one; all of them end when this process does.
say({ wall: performance.now() - start })
