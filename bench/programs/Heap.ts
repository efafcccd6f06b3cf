/**
 * What one more connected server costs: kilobytes of heap, from the difference between few and many; and what the many take
 * in all.
 * `node --expose-gc programs/Heap.ts CLIENT [--few N] [--many N]`
 */
import { parseArgs } from "node:util"
import { heap } from "../support/Heap.ts"
import { imported, say, serversOf } from "../support/Program.ts"

const { positionals: [side = ""], values } = parseArgs({
  allowPositionals: true,
  options: { few: { type: "string", default: "4" }, many: { type: "string", default: "36" } }
})
const few = Number(values.few)
const many = Number(values.many)

const { open } = await imported(side)

/** What a client of so many servers takes. */
const taken = async (count: number): Promise<number> => {
  await using started = await serversOf(count, "")
  const before = await heap()
  const client = await open(started.servers)
  const after = await heap()
  await client.close()
  return after - before
}

// Once for what is loaded and compiled by the first.
await taken(few)
const less = await taken(few)
const more = await taken(many)
say({ each: (more - less) / (many - few) / 1000, all: more / 1000 })
