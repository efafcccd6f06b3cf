/** Says nothing to a method it does not know, `server/discover` among them, where it should refuse. */
import { rewriteOutput, serveTools } from "./ZooServer.ts"

rewriteOutput((text, write) => text.includes("\"code\":-32601") ? undefined : write(text))
serveTools("ignores-unknown", {})
