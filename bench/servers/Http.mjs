/**
 * As fast as a streamable HTTP server in Node can be: the answers of Stdio.mjs on a free loopback port, whose address is
 * its first line. `--answers json` (the default) or `sse`, each answer an event stream of one event. Ends with its input.
 */
import { createServer } from "node:http"
import process from "node:process"
import { parseArgs } from "node:util"
import { respond } from "./Answers.mjs"

const { values } = parseArgs({
  options: {
    answers: { type: "string", default: "json" },
    tools: { type: "string", default: "2" },
    page: { type: "string", default: "1000" }
  }
})
const answer = respond({ tools: Number(values.tools), page: Number(values.page) })

/** As bytes, so that none is encoded twice to be counted. */
const json = (said) => ({ type: "application/json", body: Buffer.from(said) })
const sse = (said) => ({ type: "text/event-stream", body: Buffer.from(`event: message\ndata: ${said}\n\n`) })
const encode = values.answers === "sse" ? sse : json

const reply = (response, said) => {
  if (said === undefined) return void response.writeHead(202).end()
  const { body, type } = encode(said)
  response.writeHead(200, { "content-type": type, "content-length": body.length }).end(body)
}

const server = createServer((request, response) => {
  // Nothing to listen to, and no session to end.
  if (request.method !== "POST") return void response.writeHead(405).end()
  const chunks = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => reply(response, answer(JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))))
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`))

process.stdin.resume().on("end", () => {
  server.closeAllConnections()
  server.close()
})
