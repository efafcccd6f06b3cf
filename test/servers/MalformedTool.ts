/** Lists malformed tools among good ones: no name, no schema, a schema that is text, no object, annotations null. */
import { serveTools } from "./ZooServer.ts"

// As text, because the types of the shared part refuse to write such things.
const list = `{"tools":[
  {"name":"echo","inputSchema":{"type":"object"},"annotations":null,"description":null},
  {"description":"has no name","inputSchema":{"type":"object"}},
  {"name":"no_schema"},
  {"name":"text_schema","inputSchema":"object"},
  "not an object",
  null,
  {"name":"counters","inputSchema":{"type":"object","properties":{}}}
]}`

serveTools("malformed-tool", {}, { list: () => JSON.parse(list) })
