/** Requests to a server of this machine over Node's own HTTP: what undici can do beyond that takes 10 MB of each bridge. */
import type { HttpSend } from "@boocode/mcp-client"
import { Agent, request as begin } from "node:http"

/** Connections are kept, and made as they are needed. */
export const make = (): { readonly send: HttpSend; readonly close: () => void } => {
  const agent = new Agent({ keepAlive: true })
  const send: HttpSend = ({ body, headers, method, url }, receiver) => {
    let isOver = false
    const request = begin(url, { method, headers, agent }, (response) => {
      if (isOver) return
      receiver.onHeaders(response.statusCode ?? 0, response.headers)
      response.on("data", (chunk: Uint8Array) => {
        const pause = isOver ? null : receiver.onData(chunk)
        if (!pause) return
        response.pause()
        pause(() => void response.resume())
      })
      response.once("end", () => isOver ? undefined : receiver.onEnd())
      response.once("error", fail)
    })
    function fail(error: unknown) {
      if (isOver) return
      isOver = true
      receiver.onError(error)
    }
    request.once("error", fail)
    request.end(body ?? undefined)
    return () => {
      isOver = true
      request.destroy()
    }
  }
  return { send, close: () => agent.destroy() }
}
