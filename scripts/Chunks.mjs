/**
 * Which modules of a bundle are one file. To find, read and link a file takes Node longer than to run what is in most of
 * them, and a bundler makes one for each set of imports that load it: 215 for a server that starts.
 */

/** What every command but the quick ones loads, and what a server loads besides. */
const COMMAND = "Process"
const SERVER = "ChatWiring"
/** What a command loads besides that starts servers itself: much less than a server. */
const STARTERS = ["LocalServers", "Wiring"]

const RUNTIME = "rolldown-runtime"

/** What a command may load besides what it needs, so that it reads few files. */
const SMALL = 60_000

const fixed = ({ imports }) => imports
const any = ({ dynamicImports, imports }) => [...imports, ...dynamicImports]

/** The name of the file that a module goes to, or null where the bundler decides; `chunks` are what it made by itself. */
export const together = (chunks) => {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const found = (files) => files.flatMap((file) => byFile.get(file) ?? [])
  const named = (name) => {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${name}.ts`))
    if (chunk === undefined) throw new Error(`no file is made for ${name}.ts any more: correct Chunks.mjs`)
    return chunk
  }
  const reached = (root, edges, without = []) => {
    const seen = new Set([root])
    for (const chunk of seen) {
      for (const next of found(edges(chunk))) if (!without.includes(next)) seen.add(next)
    }
    return seen
  }

  const command = named(COMMAND)
  const server = named(SERVER)
  const main = chunks.find(({ dynamicImports, isEntry }) => isEntry && dynamicImports.includes(command.fileName))
  const quick = [...chunks.filter(({ isEntry }) => isEntry), ...found(main.dynamicImports)]
    .filter((chunk) => chunk !== main && chunk !== command)
    .map((root) => ({ name: root.name, chunks: reached(root, any, [command]) }))
  const quickOf = (chunk) => quick.filter(({ chunks }) => chunks.has(chunk)).map(({ name }) => name)

  const ofCommand = reached(command, fixed)
  const ofServer = [...reached(server, fixed)].filter((chunk) => !ofCommand.has(chunk))
  const ofOthers = reached(main, any, [server])
  const nameOf = (part, chunk) => [part, ...quickOf(chunk)].join("-")

  const names = new Map()
  for (const chunk of ofCommand) names.set(chunk, nameOf(COMMAND, chunk))
  for (const chunk of ofServer.filter((chunk) => !ofOthers.has(chunk))) names.set(chunk, SERVER)
  // A file must not load one that it does without. So a small one stays by itself unless all that it imports is small.
  const small = new Set(ofServer.filter((chunk) => ofOthers.has(chunk) && chunk.code.length < SMALL))
  const isClosed = (chunk) => found(chunk.imports).every((next) => ofCommand.has(next) || small.has(next))
  for (let before = Infinity; small.size < before;) {
    before = small.size
    for (const chunk of small) if (!isClosed(chunk)) small.delete(chunk)
  }
  const ofStarters = new Set(STARTERS.flatMap((name) => [...reached(named(name), fixed)]))
  for (const chunk of small) names.set(chunk, nameOf(ofStarters.has(chunk) ? "Starters" : "Common", chunk))

  // What the bundler's own module imports must not import it.
  for (const chunk of chunks.filter(({ name }) => name === RUNTIME)) {
    for (const one of reached(chunk, fixed)) names.delete(one)
  }

  const byModule = new Map([...names].flatMap(([{ moduleIds }, name]) => moduleIds.map((id) => [id, name])))
  return (id) => byModule.get(id) ?? null
}
