/**
 * Everything that a data folder and its state folder have, and how a backup treats it. A file that stands nowhere here
 * is not BooCode's: a backup leaves it out, and a restore does not touch it.
 */

/** Where it is: beside the file with the servers, or in the state folder. */
export type Root = "data" | "state"

export type Kind = "chats" | "configuration" | "agents" | "permissions" | "pins" | "workspace" | "credentials"

export interface Item {
  readonly root: Root
  /** In its root; a folder ends with a slash. */
  readonly name: string
  readonly kind: Kind
}

const item = (kind: Kind, root: Root, ...names: ReadonlyArray<string>): ReadonlyArray<Item> =>
  names.map((name) => ({ root, name, kind }))

export const ITEMS: ReadonlyArray<Item> = [
  ...item("configuration", "data", "mcp.json", "settings.json", "gateway.jsonc"),
  ...item("agents", "data", "AGENTS.md", "agents/"),
  ...item("permissions", "data", "permissions.jsonc"),
  ...item("permissions", "state", "approvals.json", "allowed-tools.json", "app-pins.json"),
  ...item("pins", "data", "mcp.lock.json"),
  ...item("pins", "state", "pins/"),
  ...item("chats", "state", "chats.sqlite", "history", "own-writes.jsonl", "own-writes.jsonl.1"),
  ...item("workspace", "data", "workspace/"),
  ...item("credentials", "data", ".env"),
  ...item("credentials", "state", "credentials.json", "secret-key", "token", "mcp-clients.json", "connectors.json")
]

/** Stays out of every backup, with the reason. */
export const LEFT_OUT: ReadonlyArray<{ readonly root: Root; readonly name: string; readonly why: string }> = [
  { root: "state", name: "chats.sqlite-wal", why: "a part of chats.sqlite, which is copied as a whole" },
  { root: "state", name: "chats.sqlite-shm", why: "a part of chats.sqlite, which is copied as a whole" },
  { root: "state", name: "chats.sqlite-writers/", why: "the locks of the programs that run now" },
  { root: "state", name: "running/", why: "where the servers are that run now" },
  { root: "state", name: "client-lists.json", why: "what MCP clients were listed last, which they are listed anew" },
  { root: "state", name: "on-demand.log", why: "what a server printed that a program started" },
  { root: "state", name: "restore.lock", why: "the lock of a restore that runs now" },
  { root: "state", name: "restore.json", why: "the journal of a restore that is not done" },
  { root: "state", name: "restore/", why: "what a restore that is not done brings" },
  { root: "state", name: "before-restore/", why: "what a restore replaced" },
  { root: "data", name: ".restore/", why: "what a restore that is not done brings" },
  { root: "data", name: ".before-restore/", why: "what a restore replaced" },
  { root: "data", name: ".before-fleet/", why: "what a fleet had otherwise" },
  {
    root: "data",
    name: "workspace/.boocode/",
    why: "what undo keeps of a fleet's workspace, and the mark of that fleet"
  },
  { root: "data", name: ".registry/", why: "answers of the MCP registry, which is asked anew" },
  { root: "state", name: "sessions.json", why: "browsers sign in anew" },
  { root: "state", name: "logins.json", why: "commands log in anew at servers elsewhere" },
  { root: "state", name: "frame-key", why: "made anew" },
  { root: "state", name: "protocols.json", why: "found out anew at the first connection" },
  { root: "state", name: "manifests/", why: "listed anew at the first connection" },
  { root: "state", name: "results/", why: "long results of tools, which expire by themselves" },
  { root: "state", name: "connected/", why: "belongs to the applications of this machine" },
  { root: "state", name: "undo/", why: "belongs to the files of this machine, and expires by itself" }
]

/** Whether a name in a root is an item's, or inside an item that is a folder. */
export const isOf = ({ name, root }: { readonly name: string; readonly root: Root }, at: Root, file: string): boolean =>
  root === at && (name.endsWith("/") ? file.startsWith(name) && file.length > name.length : file === name)

/** Whether a file of an archive is inside an item and stays out of every backup all the same. */
export const isLeftOut = (archived: string): boolean =>
  LEFT_OUT.some(({ name, root }) => name.endsWith("/") && archived.startsWith(`${root}/${name}`))

/** The item that a file of an archive belongs to, by a name such as `state/pins/a.json`. */
export const find = (archived: string): Item | undefined => {
  const [root = "", ...rest] = archived.split("/")
  if (rest.length === 0 || rest.some((segment) => !isSegment(segment))) return undefined
  return ITEMS.find((one) => root === one.root && isOf(one, one.root, rest.join("/")))
}

/** A name that leads nowhere else, on any system. */
// oxlint-disable-next-line no-control-regex -- no control character may be in the name of a file
const isSegment = (name: string): boolean => !/^\.{0,2}$|[\\/:\u0000-\u001F\u007F]|[. ]$/.test(name)
