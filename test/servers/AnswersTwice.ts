/** Sends every message twice, answers included. */
import { rewriteOutput, serveTools } from "./ZooServer.ts"

rewriteOutput((text, write) => write(text + text))
serveTools("answers-twice", {})
