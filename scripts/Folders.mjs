/**
 * The floors inside each part of the house: a file imports from its own folder and from those named before it. Checks as
 * well that nothing imports itself by way of others, that no folder is too full, and that a file's name stands once.
 */
import { basename, posix } from "node:path"

const FULLEST = 15

/** The folders below `src`, from the lowest. The files beside them stand on top, unless `.` says where they stand. */
const orders = {
  "packages/mcp-config": ["text", "model", "entry", "shapes", "read", "edit", "exchange", "clients", "published"],
  "packages/mcp-client": [
    "base",
    "errors",
    "host",
    "contract",
    "asks",
    "rpc",
    "stdio",
    "http",
    "oauth/credentials",
    "oauth",
    "connect"
  ],
  "packages/mcp-registry": [
    "metrics",
    "model",
    "trust",
    "tools",
    "state",
    "calls",
    "offerings",
    "lifecycle",
    "servers"
  ],
  "packages/mcp-fleet": ["model", "protocol", "owner", "remote"],
  "packages/mcp-node": ["processes", "http", "credentials", "code"],
  "packages/toolkit": [
    "text",
    "permissions",
    "schema",
    "search",
    "validation",
    "dialects",
    "results",
    "tools",
    "code",
    ".",
    "ai-sdk"
  ],
  "packages/mcp-gateway": ["model", "clients", "offer", "calls", "serve"],
  "packages/language-models": ["errors", "models", "encoding", "decoding"],
  "packages/chat": [
    "users",
    "model",
    "agents",
    "history",
    "store",
    "spending",
    "workspace",
    "tools",
    "journal",
    "permissions",
    "asking",
    "programs",
    "turn",
    "exchange",
    "chats",
    "messages",
    "fleet"
  ],
  "apps/chat-server": [
    "settings",
    "users",
    "team",
    "database",
    "fleet",
    "backup",
    "telemetry",
    "api",
    "access",
    "published",
    "entries",
    "connections",
    "services",
    "clients",
    "connectors",
    "models",
    "http",
    "handlers",
    "completions"
  ],
  "apps/cli": [
    "terminal",
    "options",
    "lines",
    "questions",
    "backend",
    "bridge",
    "trust",
    "permissions",
    "chat",
    "edit",
    "connect",
    "models",
    "people",
    "mcp/doctor",
    "mcp",
    "programs",
    "install",
    "commands",
    "node"
  ],
  "apps/web": [
    "language",
    "messages",
    "ui",
    "api",
    "state",
    "forms",
    "providers",
    "tools",
    "questions",
    "chat",
    "agents",
    "people",
    "settings",
    "servers",
    "permissions",
    "clients",
    "app"
  ]
}

const isModule = (file) => /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(file)

const partOf = (file) => file.split("/").slice(0, 2).join("/")

/** The folder as the order names it: the whole path where it stands there, else the nearest folder above that does. */
const folderOf = (file, order) => {
  const path = posix.dirname(file.split("/src/")[1] ?? "")
  return order.find((folder) => folder === path) ?? order.find((folder) => path.startsWith(`${folder}/`)) ?? path
}

const heightOf = (folder, order) => {
  const height = order.indexOf(folder)
  return folder === "." && height < 0 ? order.length : height
}

const targetsOf = (file, specifiers) =>
  specifiers.filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(posix.dirname(file), specifier))
    .filter(isModule)

const upward = (file, targets) => {
  const order = orders[partOf(file)] ?? []
  const height = (path) => heightOf(folderOf(path, order), order)
  if (height(file) < 0 && order.length > 0) return [`${file}: its folder has no place in scripts/Folders.mjs`]
  return targets.filter((target) => partOf(target) === partOf(file) && height(target) > height(file))
    .map((target) => `${file}: imports ${target}, which stands above it`)
}

/** The first way that leads back to where it began, or undefined. */
const circleFrom = (start, graph, done) => {
  const path = []
  const visit = (file) => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    path.push(file)
    for (const next of graph.get(file) ?? []) {
      const found = visit(next)
      if (found !== undefined) return found
    }
    path.pop()
    done.add(file)
    return undefined
  }
  return visit(start)
}

const circles = (graph) => {
  const done = new Set()
  for (const file of graph.keys()) {
    const circle = circleFrom(file, graph, done)
    if (circle !== undefined) return [`${circle.join(" imports ")}: a circle`]
  }
  return []
}

const grouped = (files, keyOf) => [...Map.groupBy(files, keyOf)]

const tooFull = (files) =>
  grouped(files, posix.dirname).filter(([, inside]) => inside.length > FULLEST)
    .map(([folder, inside]) => `${folder}: ${inside.length} files, at most ${FULLEST}`)

/** `index` and `main` are names that tools look for. */
const twice = (files) =>
  grouped(files, (file) => basename(file).replace(/\.tsx?$/, ""))
    .filter(([name, same]) => same.length > 1 && !["index", "main"].includes(name))
    .map(([, same]) => `${same.join(" and ")}: a file's name stands once`)

/** What is wrong with the modules among these files. `importsOf` gives the specifiers that a file imports. */
export const check = (files, importsOf) => {
  const modules = files.filter(isModule)
  const graph = new Map(modules.map((file) => [file, targetsOf(file, importsOf(file))]))
  return [
    ...modules.flatMap((file) => upward(file, graph.get(file))),
    ...circles(graph),
    ...tooFull(modules),
    ...twice(modules)
  ]
}
