/** The first module of the command. The Tab key and a bridge do without loading all the rest, which takes longer. */
import process from "node:process"

const [first, second, ...typed] = process.argv.slice(2)

if (first === "completion" && second === "words") {
  const { candidates } = await import("./node/CompletionWords.ts")
  process.stdout.write(candidates(typed, process.env, process.platform).map((name) => `${name}\n`).join(""))
} else if (first === "mcp" && second === "serve") {
  const { lineOf, start } = await import("./BridgeProcess.ts")
  const line = lineOf(typed)
  if (line === null) (await import("./Process.ts")).start()
  else start(line)
} else {
  const { start } = await import("./Process.ts")
  start()
}
