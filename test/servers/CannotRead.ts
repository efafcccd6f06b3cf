/** Cannot read what it is sent: answers every message with a parse error that names no request. */
import { createInterface } from "node:readline"
import { send } from "./JsonRpcLines.ts"

createInterface({ input: process.stdin })
  .on("line", () => send({ id: null, error: { code: -32700, message: "Parse error: expected a header" } }))
  .on("close", () => process.exit(0))
