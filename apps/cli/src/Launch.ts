/** The first module of the command. What a Tab key asks is answered without loading all the rest, which takes longer. */
import process from "node:process"

const [first, second, ...typed] = process.argv.slice(2)

if (first === "completion" && second === "words") {
  const { candidates } = await import("./node/CompletionWords.ts")
  process.stdout.write(candidates(typed, process.env, process.platform).map((name) => `${name}\n`).join(""))
} else {
  const { start } = await import("./Process.ts")
  start()
}
