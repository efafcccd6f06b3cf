/**
 * As fast as a stdio server can be, so that a measurement shows the client: `echo`, which gives its text back.
 *
 * --start MS: answers nothing before that; --silent: answers nothing at all; --tools N, --page N: so many tools, so many
 * of them a page; --started FILE: adds a line to that file, so that starts can be counted. The tool `text` gives a text
 * of `bytes` bytes.
 */
import { appendFileSync } from "node:fs"
import process from "node:process"
import { parseArgs } from "node:util"
import { respond } from "./Answers.mjs"

const { values } = parseArgs({
  options: {
    start: { type: "string", default: "0" },
    silent: { type: "boolean", default: false },
    tools: { type: "string", default: "2" },
    page: { type: "string", default: "1000" },
    started: { type: "string", default: "" }
  }
})
if (values.started !== "") appendFileSync(values.started, `${process.pid}\n`)
const answer = respond({ tools: Number(values.tools), page: Number(values.page) })

let chunks = []
const read = (chunk) => {
  const end = chunk.lastIndexOf("\n")
  if (end < 0) return void chunks.push(chunk)
  const text = chunks.join("") + chunk.slice(0, end)
  chunks = end + 1 < chunk.length ? [chunk.slice(end + 1)] : []
  let out = ""
  for (const line of text.split("\n")) {
    const said = line === "" ? undefined : answer(JSON.parse(line))
    if (said !== undefined) out += `${said}\n`
  }
  if (out !== "") process.stdout.write(out)
}

const input = process.stdin.setEncoding("utf8")
if (values.silent) input.resume()
else setTimeout(() => input.on("data", read), Number(values.start))
