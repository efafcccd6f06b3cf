/**
 * Answers `initialize` only after a while: `Late.ts MILLIS`, by default ten seconds; or once as many of its kind are asked
 * at the same time: `Late.ts --together COUNT FOLDER`.
 */
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { serveTools } from "./ZooServer.ts"

const [, , first = "10000", count = "0", folder = "."] = process.argv

const together = async (answer: object) => {
  writeFileSync(join(folder, String(process.pid)), "")
  while (readdirSync(folder).length < Number(count)) await setTimeout(20)
  return answer
}

serveTools("late", {}, {
  initialize: (usual) => first === "--together" ? together(usual) : setTimeout(Number(first), usual)
})
