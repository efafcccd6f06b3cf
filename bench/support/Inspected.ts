/** The memory of another process of Node, by its debugger. */

export interface Memory {
  readonly heap: number
  readonly rss: number
}

const MEMORY = "(() => { const { heapUsed, rss } = process.memoryUsage(); return { heap: heapUsed, rss } })()"

/** Gives what asks for the memory in bytes, when what can be collected is collected. */
export const inspected = async (url: string): Promise<() => Promise<Memory>> => {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true })
    socket.addEventListener("error", () => reject(new Error(`no debugger at ${url}`)), { once: true })
  })
  const waiting = new Map<number, (answer: { readonly result?: { readonly value: Memory } }) => void>()
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(result)
  })
  let ids = 0
  const send = (method: string, params: object = {}) =>
    new Promise<{ readonly result?: { readonly value: Memory } }>((resolve) => {
      const id = ++ids
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
  return async () => {
    for (let round = 0; round < 3; round++) await send("HeapProfiler.collectGarbage")
    const { result } = await send("Runtime.evaluate", { expression: MEMORY, returnByValue: true })
    if (result === undefined) throw new Error("the debugger gave no value")
    return result.value
  }
}
