/**
 * Tells all it was given wherever it can: `Gossip.ts MANNER …`. Some manners end its start: `dies`, `refuses`, `mute`,
 * `unlisted`. With any other it serves, and its tools tell it in every way but in a good result.
 */
import { refuse, send, serve, text, type Tool } from "./JsonRpcLines.ts"

const [, , manner = "serves"] = process.argv

/** As it is, as JSON and as part of an address. */
const everything = (): string => {
  const pairs = Object.entries(process.env).map(([name, value]) => `${name}=${value}`)
  const all = [...pairs, ...process.argv]
  return [...all, JSON.stringify(all), ...all.map(encodeURIComponent)].join("\n")
}

const tell = () => {
  process.stderr.write(`starting with ${everything()}\nfatal: ${everything()}\n`)
  process.stdout.write(`starting with ${everything()}\n`)
}

const tools: ReadonlyArray<Tool> = ["names", "fails", "refuses", "says", "hints", "crashes"].map((name) => ({
  name,
  description: `It ${name}.`,
  inputSchema: { type: "object" }
}))

tell()
if (manner === "dies") process.exit(7)

const ways: Readonly<Record<string, (token: number | string | undefined) => object | undefined>> = {
  names: () => text(Object.keys(process.env).sort().join("\n")),
  fails: () => text(`it failed: ${everything()}`, true),
  refuses: () => refuse(-32603, `no: ${everything()}`),
  says: () => {
    tell()
    send({ method: "notifications/message", params: { level: "error", data: everything() } })
    return text("said")
  },
  hints: (progressToken) => {
    send({ method: "notifications/progress", params: { progressToken, progress: 1, message: everything() } })
    return text("hinted")
  },
  crashes: () => {
    tell()
    process.exit(3)
  }
}

serve({
  name: `gossip ${process.env["NAMED"] ?? ""}`,
  initialize: (usual) => {
    if (manner === "refuses") return refuse(-32603, everything())
    return manner === "mute" ? new Promise(() => {}) : usual
  },
  list: () => manner === "unlisted" ? refuse(-32603, everything()) : { tools },
  call: ({ params }) => ways[params?.name ?? ""]?.(params?._meta?.progressToken)
})
