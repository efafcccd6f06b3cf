/**
 * Takes what OTLP exporters send and keeps nothing of it, on a free loopback port whose address is its first line. When its
 * input ends it prints how many requests brought traces, and ends.
 */
import { createServer } from "node:http"
import process from "node:process"

let traces = 0

const server = createServer((request, response) => {
  if (request.url.endsWith("/v1/traces")) traces += 1
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))

process.stdin.resume().on("end", () => {
  process.stdout.write(`${traces}\n`)
  server.closeAllConnections()
  server.close()
})
