/** Talks to the server this page came from. */

/** What the server says when it cannot do what was asked. */
export class Problem extends Error {
  constructor(body, status) {
    super(body.detail ?? `the server answered ${status}`)
    this.hint = body.hint ?? null
    this.status = status
  }
}

const request = async (method, path, body) => {
  const init = body === undefined
    ? { method }
    : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  const response = await fetch(`/api/${path}`, init)
  if (response.ok) return response
  throw new Problem(await response.json().catch(() => ({})), response.status)
}

/** Gives the JSON of an answer, null when it has no body. */
export const get = async (path) => (await request("GET", path)).json()
export const post = async (path, body) => {
  const response = await request("POST", path, body)
  return response.status === 204 ? null : response.json()
}
export const remove = (path) => request("DELETE", path)

/**
 * Sends a message. The parts come by the chat's events, so the answer's own stream is let go of; the turn goes on.
 * Gives true when the message waits behind a running turn.
 */
export const send = async (chat, message) => {
  const response = await request("POST", `chats/${encodeURIComponent(chat)}/messages`, message)
  if (response.status === 202) return true
  await response.body?.cancel()
  return false
}

/**
 * Listens to server-sent events until `close` is called; after a lost connection the browser goes on by itself.
 * `onState` gets "open", "lost" (trying again) or "gone" (the server refused).
 */
export const listen = (path, onDocument, onState) => {
  const source = new EventSource(`/api/${path}`)
  source.onmessage = ({ data }) => onDocument(JSON.parse(data))
  source.onopen = () => onState("open")
  source.onerror = () => onState(source.readyState === EventSource.CLOSED ? "gone" : "lost")
  return { close: () => source.close() }
}
