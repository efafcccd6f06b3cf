import { McpError, McpErrors } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { errorLines, Failed, failed } from "../../src/terminal/Failure.ts"
import { NONE } from "../../src/terminal/Output.ts"

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url))

const sources = globSync("{packages,apps}/*/src/**/*.ts", { cwd: ROOT }).filter((file) => !file.startsWith("apps/web"))

/** Errors that the code around them turns into another one: no person, script or client ever sees them. */
const INSIDE: ReadonlySet<string> = new Set([
  "Ended", // prints nothing more
  "Foreign", // UnexpectedAnswer
  "KeychainFailed", // a warning that names the file in its place
  "Problem", // Failed
  "Refused", // JSON-RPC to a server
  "SamplingRefused", // JSON-RPC to a server
  "StateFileError", // a warning, or DecisionNotKept
  "StateStorageError", // the same
  "NotKept", // a warning, NoToken, or ClientNotAdded
  "UnusablePath", // a result that a model reads
  "Unsent", // an answer to an MCP client, or another try
  "CutOff", // the same
  "NotLetIn", // a refusal of the API
  "Unanswered" // a result that an MCP client reads
])

/** The classes of errors in a text, from their first line to their last. `reason` cannot make one without a hint. */
const classesOf = (text: string) =>
  text.matchAll(/^export class (\w+) extends (?:Schema|Data)\.TaggedError[^]*?(?:^\}$|\{\}$)/gm)

/** `TOLD` is a message and a hint. */
const SAYS_WHAT_TO_DO = /\bhint\b|, TOLD\)|\.\.\.TOLD\b/

describe("Failure", () => {
  it("every error that can leave BooCode says what to do", () => {
    const found = sources.flatMap((file) =>
      [...classesOf(readFileSync(`${ROOT}/${file}`, "utf8"))].map(([body, name = ""]) => ({ file, name, body }))
    )
    const without = found.filter(({ body, name }) => !INSIDE.has(name) && !SAYS_WHAT_TO_DO.test(body))
    assert.deepStrictEqual(without.map(({ file, name }) => `${file}: ${name}`), [])
    assert.isAbove(found.length, 60)
    assert.deepStrictEqual([...INSIDE].filter((name) => !found.some((one) => one.name === name)), [])
  })

  it("hints name whole commands, which can be pasted", () => {
    const verbs = "mcp|chats (list|show|export|import|search|delete)|permissions (list|explain|test)"
    const half = new RegExp(`["\`(; ](?<!boocode )(${verbs}) (?!servers?\\b|of\\b|and\\b)[a-z]+`)
    const lines = sources.flatMap((file) =>
      readFileSync(`${ROOT}/${file}`, "utf8").split("\n").map((line, at) => `${file}:${at + 1}:${line}`)
    )
    const found = lines.filter((line) => /\b(hint|otherwise|advice)\b/i.test(line) && half.test(line))
    assert.deepStrictEqual(found, [])
  })

  it("shows what happened, where the message does not say where, and what to do", () => {
    const where = { file: "/data/mcp.json", line: 3, column: 7, key: "mcpServers.files", server: "files" }
    const error = { message: "the entry of files is wrong", hint: "boocode mcp get files", where }
    assert.deepStrictEqual(errorLines(error, NONE), [
      "error  the entry of files is wrong",
      "       in /data/mcp.json:3:7, key mcpServers.files",
      "       boocode mcp get files"
    ])
    const { where: _, ...plain } = error
    assert.lengthOf(errorLines(plain, NONE), 2)
  })

  it("keeps the place of an error, and the server of an McpError", () => {
    const reason = new McpErrors.NotRunning({ state: "stopped" })
    const told = failed(new McpError({ server: "files", reason }))
    assert.deepStrictEqual([told.tag, told.where], ["NotRunning", { server: "files" }])
    assert.isNull(failed(new Failed({ tag: "X", message: "x", hint: "y" })).where)
  })
})
