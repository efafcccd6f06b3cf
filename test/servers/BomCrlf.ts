/** Writes as some Windows programs do: a byte order mark before and a carriage return after each message. */
import { rewriteOutput, serveTools } from "./ZooServer.ts"

rewriteOutput((text, write) => write(`\uFEFF${text.replaceAll("\n", "\r\n")}`))
serveTools("bom-crlf", {})
