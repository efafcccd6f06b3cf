/** Serves over HTTP on a free port of this machine, and prints it. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { Readable } from "node:stream"

export const listen = (handle: RequestListener): void => {
  const server = createServer(handle).listen(0, "127.0.0.1", () => {
    const address = server.address()
    process.stdout.write(`${typeof address === "object" && address !== null ? address.port : ""}\n`)
  })
}

/** The same for handlers of the web's own requests and responses. */
export const listenWeb = (handle: (request: Request) => Promise<Response>): void =>
  listen((request, response) => {
    handle(webRequest(request, response)).then((answer) => send(answer, response)).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      response.destroy()
    })
  })

const webRequest = (request: IncomingMessage, response: ServerResponse): Request => {
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  return new Request(new URL(request.url ?? "/", `http://${request.headers.host}`), {
    method: request.method ?? "GET",
    headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal: gone.signal,
    ...(request.method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {})
  })
}

const send = async (answer: Response, response: ServerResponse) => {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  // An answer that never ends begins all the same.
  response.flushHeaders()
  for await (const bytes of answer.body ?? []) response.write(bytes)
  response.end()
}
