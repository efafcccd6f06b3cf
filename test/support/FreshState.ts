/** Brings a server that several tests share back to how it began, whatever the test before left or where it failed. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Deadline from "./Deadline.ts"

type Row = Readonly<Record<string, unknown>>

const ask = async (url: string, method: string, path: string, body?: unknown): Promise<Row> => {
  const response = await fetch(`${url}/api/${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  })
  // What is gone meanwhile is as good as taken back.
  const text = await response.text()
  return response.ok && text !== "" ? JSON.parse(text) : {}
}

const rows = (answer: Row, key: string): ReadonlyArray<Row> => {
  const found = answer[key]
  return Array.isArray(found) ? found : []
}

const segment = (value: unknown) => encodeURIComponent(String(value))

/** No chat, so that nothing runs or waits in one; no question of a server; nothing that is always allowed. */
export const conversations = (url: string) =>
  Effect.promise(async () => {
    for (const { id } of rows(await ask(url, "GET", "chats"), "chats")) {
      await ask(url, "DELETE", `chats/${segment(id)}`)
    }
    for (const { id } of rows(await ask(url, "GET", "questions"), "questions")) {
      await ask(url, "POST", `questions/${segment(id)}`, { action: "cancel" })
    }
    for (const { name } of rows(await ask(url, "GET", "approvals"), "granted")) {
      await ask(url, "DELETE", `approvals/granted/${segment(name)}`)
    }
  })

/** Every server has connected or failed to. */
export const connected = (url: string) =>
  Effect.promise(() => ask(url, "GET", "mcp/servers")).pipe(
    Effect.repeat({
      until: (answer) => rows(answer, "servers").every(({ state }) => state !== "connecting"),
      schedule: Schedule.spaced("50 millis")
    }),
    Effect.timeout(Deadline.WAIT_MILLIS),
    Effect.orDie
  )

/** Reads the configuration anew, starts what was stopped, and waits until all of that is done. */
export const servers = (url: string) =>
  Effect.promise(async () => {
    await ask(url, "POST", "mcp/reload")
    for (const { name, state } of rows(await ask(url, "GET", "mcp/servers"), "servers")) {
      if (state === "stopped") await ask(url, "POST", `mcp/servers/${segment(name)}/start`)
    }
  }).pipe(Effect.andThen(connected(url)))
