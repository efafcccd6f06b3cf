/** Reads and lists the files of one folder, as the published server of files does, which takes five times as long to start. */
import { readdirSync, readFileSync } from "node:fs"
import { relative, resolve } from "node:path"
import { type Message, refuse, serve, text, type Tool } from "./JsonRpcLines.ts"

const root = resolve(process.argv[2] ?? ".")
const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
const annotations = { readOnlyHint: true }
const tools: ReadonlyArray<Tool> = [
  { name: "read_text_file", description: "Gives the text of a file", inputSchema, annotations },
  { name: "list_directory", description: "Names the files of a folder", inputSchema, annotations },
  {
    name: "list_allowed_directories",
    description: "Names the folder",
    inputSchema: { type: "object", properties: {} },
    annotations
  },
  { name: "get_file_info", description: "Tells how long a file is", inputSchema, annotations },
  { name: "write_file", description: "Would write", inputSchema, annotations: { readOnlyHint: false } }
]

const inside = ({ params }: Message): string => {
  const path = resolve(root, String(params?.arguments?.["path"]))
  if (relative(root, path).startsWith("..")) throw new Error(`${path} is outside ${root}`)
  return path
}

const answer = (message: Message) => {
  switch (message.params?.name) {
    case "read_text_file":
      return readFileSync(inside(message), "utf8")
    case "list_directory":
      return readdirSync(inside(message)).join("\n")
    case "list_allowed_directories":
      return root
    case "get_file_info":
      return `size: ${readFileSync(inside(message)).length}`
    default:
      return refuse(-32602, `Unknown tool: ${message.params?.name}`)
  }
}

serve({
  name: "files",
  list: () => ({ tools }),
  call: (message) => {
    try {
      return text(answer(message))
    } catch (error) {
      return text(String(error), true)
    }
  }
})
