/**
 * How fast the page comes and how still it stands, with a network and a processor that are throttled as Lighthouse does. Writes
 * the table of docs/page.md: `pnpm figures`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import type { Browser } from "playwright-core"
import { CHATS } from "./Data.ts"
import { layers, Stage } from "./Stage.ts"

const ROUNDS = 5

/** The latency of a request in milliseconds, what comes in a second in bytes, and how much slower the processor is. */
const PROFILES = {
  desk: { latency: 40, throughput: 10_240 * 128, slowdown: 1, viewport: { width: 1440, height: 900 } },
  phone: { latency: 150, throughput: 1638 * 128, slowdown: 4, viewport: { width: 390, height: 844 } }
} as const

/** In the page before all else. What is painted or moves is noted from the first moment on. */
const NOTES = `
  globalThis.noted = { largest: 0, shift: 0, blocked: 0, delays: [], events: [] }
  const on = (type, note, more = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...more })
  on("largest-contentful-paint", (entry) => noted.largest = entry.startTime)
  on("layout-shift", (entry) => { if (!entry.hadRecentInput) noted.shift += entry.value })
  on("longtask", (entry) => noted.blocked += Math.max(0, entry.duration - 50))
  on("event", (entry) => { if (entry.interactionId > 0) {
    noted.delays.push(entry.processingStart - entry.startTime)
    noted.events.push(entry.duration)
  } }, { durationThreshold: 16 })`

const READ = `({
  ...noted,
  first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0
})`

interface Noted {
  readonly first: number
  readonly largest: number
  readonly shift: number
  readonly blocked: number
  readonly delays: ReadonlyArray<number>
  readonly events: ReadonlyArray<number>
}

interface Figures extends Pick<Noted, "blocked" | "first" | "largest" | "shift"> {
  readonly requests: number
  readonly bytes: number
  readonly delay: number
  readonly answer: number
}

/** One cold load; then something is typed, a panel is opened, and the page is come back to. */
const measure = async (
  browser: Browser,
  url: string,
  profile: typeof PROFILES[keyof typeof PROFILES]
): Promise<Figures> => {
  const context = await browser.newContext({ viewport: profile.viewport, locale: "en-GB" })
  const page = await context.newPage()
  await page.addInitScript(NOTES)
  const session = await context.newCDPSession(page)
  await session.send("Network.enable")
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: profile.latency,
    downloadThroughput: profile.throughput,
    uploadThroughput: profile.throughput / 2
  })
  await session.send("Emulation.setCPUThrottlingRate", { rate: profile.slowdown })
  const loaded = { requests: 0, bytes: 0 }
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    loaded.requests += 1
    loaded.bytes += encodedDataLength
  })
  await page.goto(url)
  await page.locator("#message").waitFor()
  await page.locator(".side-row").first().waitFor({ state: "attached" })
  // What comes after the first view, such as the chunks of the idle time, is no part of it.
  await page.waitForTimeout(2000)
  const { bytes, requests } = loaded
  await page.locator("#message").pressSequentially("How are you?", { delay: 30 })
  await page.evaluate("location.hash = '#/servers'")
  await page.locator("main h1").waitFor()
  await page.waitForTimeout(1500)
  const noted = await page.evaluate<Noted>(READ)
  await context.close()
  return {
    requests,
    bytes,
    first: noted.first,
    largest: noted.largest,
    blocked: noted.blocked,
    shift: noted.shift,
    delay: Math.max(0, ...noted.delays),
    answer: Math.max(0, ...noted.events)
  }
}

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

const millis = (value: number) => `${Math.round(value)} ms`

const ROWS: ReadonlyArray<readonly [name: string, of: keyof Figures, say: (value: number) => string]> = [
  ["requests of the first load", "requests", String],
  ["bytes of the first load, as they come", "bytes", (value) => `${(value / 1000).toFixed(1)} kB`],
  ["first paint with content", "first", millis],
  ["largest paint", "largest", millis],
  ["time that longer tasks block", "blocked", millis],
  ["longest wait before a key is handled", "delay", millis],
  ["longest time from a key to its paint", "answer", millis],
  ["layout shift, all of it added up", "shift", (value) => value.toFixed(4)]
]

const MARK = /(<!-- pnpm figures -->\n)[^]*?(\n<!-- end -->)/

const [NOTES_CHAT = ""] = CHATS.map(([message]) => message).filter((message) => message.includes("notes"))

const program = Effect.gen(function*() {
  const { browser, chats, url } = yield* Stage
  const columns: Array<ReadonlyArray<string>> = []
  for (const [profile, of] of Object.entries(PROFILES)) {
    for (const [name, at] of [["new chat", ""], ["chat", `chat/${chats.get(NOTES_CHAT)}`]]) {
      const rounds = yield* Effect.promise(async () => {
        const all: Array<Figures> = []
        for (let round = 0; round < ROUNDS; round += 1) all.push(await measure(browser, `${url}/#/${at}`, of))
        return all
      })
      columns.push([`${name}, ${profile}`, ...ROWS.map(([, key, say]) => say(median(rounds.map((one) => one[key]))))])
    }
  }
  const row = (name: string, cells: ReadonlyArray<string | undefined>) => `| ${name} | ${cells.join(" | ")} |`
  const table = [
    row("", columns.map(([head]) => head)),
    row("---", columns.map(() => "---:")),
    ...ROWS.map(([name], index) => row(name, columns.map((column) => column[index + 1])))
  ].join("\n")
  console.log(table)
  const file = new URL("../../docs/page.md", import.meta.url)
  writeFileSync(file, readFileSync(file, "utf8").replace(MARK, (_, before, after) => `${before}\n${table}\n${after}`))
})

NodeRuntime.runMain(program.pipe(Effect.provide(layers.team), Effect.scoped))
