/**
 * Loaded into a server by `--import`: writes what it needs to the file that `BOOCODE_GAUGE` names, a line every few
 * seconds. SIGUSR2 writes a picture of its heap beside that file.
 */
import { appendFileSync, readdirSync, readFileSync } from "node:fs"
import { PerformanceObserver } from "node:perf_hooks"
import { writeHeapSnapshot } from "node:v8"

/** One look at a process; bytes are in MB. */
export interface Look {
  /** Since the start of the process. */
  readonly seconds: number
  readonly rss: number
  readonly heapUsed: number
  readonly heapTotal: number
  /** What buffers and other objects hold outside of the heap, `arrayBuffers` included. */
  readonly external: number
  readonly arrayBuffers: number
  readonly handles: number
  readonly descriptors: number
  /** Of the processor, in milliseconds, since the start of the process. */
  readonly processor: number
  /** Collecting garbage took so much of it on the main thread. */
  readonly collecting: number
}

const EVERY_MILLIS = 5000
const MB = 1024 * 1024

let collecting = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collecting += duration
}).observe({ entryTypes: ["gc"] })

const look = (): Look => {
  const { system, user } = process.cpuUsage()
  const { arrayBuffers, external, heapTotal, heapUsed, rss } = process.memoryUsage()
  const inMb = (bytes: number) => Math.round(bytes / MB * 10) / 10
  return {
    seconds: Math.round(process.uptime()),
    rss: inMb(rss),
    heapUsed: inMb(heapUsed),
    heapTotal: inMb(heapTotal),
    external: inMb(external),
    arrayBuffers: inMb(arrayBuffers),
    handles: process.getActiveResourcesInfo().length,
    descriptors: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
    processor: Math.round((system + user) / 1000),
    collecting: Math.round(collecting)
  }
}

/** What was written so far. */
export const read = (file: string): ReadonlyArray<Look> =>
  readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line))

const file = process.env["BOOCODE_GAUGE"]
if (file !== undefined) {
  appendFileSync(file, `${JSON.stringify(look())}\n`)
  setInterval(() => appendFileSync(file, `${JSON.stringify(look())}\n`), EVERY_MILLIS).unref()
  process.on("SIGUSR2", () => writeHeapSnapshot(`${file}.heapsnapshot`))
}
