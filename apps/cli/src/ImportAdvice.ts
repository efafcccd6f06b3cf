/** What a person should know about servers that come in, and what there is to do next. */
import { ConfigFile } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Read } from "./ImportReport.ts"
import { oneLine } from "./PlainText.ts"
import { secretHints } from "./SecretHints.ts"
import * as ServerFiles from "./ServerFiles.ts"

/** The servers that are written, or would be. */
export const written = (planned: ReadonlyArray<Read>) =>
  planned.flatMap(({ plan }) => plan?.servers ?? []).filter(({ isWritten }) => isWritten)

/** What keeps each new server from working, all of it, and which others it hides. */
export const warnings = Effect.fnUntraced(function*(
  files: ServerFiles.Files,
  target: ServerFiles.ServerFile,
  text: string,
  planned: ReadonlyArray<Read>
) {
  const names = new Set(written(planned).map(({ name }) => name))
  const { servers } = yield* ConfigFile.fromText(target.file, text)
  const entries = Result.match(yield* ConfigFile.decode(target.file.path, text), {
    onSuccess: (content) => content.entries,
    onFailure: () => []
  })
  return servers.filter(({ name }) => names.has(name)).flatMap((server) => {
    // What is remarked about the keys was said at their place in the other file.
    const remarks = entries.find(({ name }) => name === server.name)?.remarks.length ?? 0
    const first = Result.isFailure(server.config) ? [server.config.failure.message] : []
    const hidden = ServerFiles.below(files, target, server.name).map(({ file }) =>
      `${oneLine(server.name)} hides the one of ${file.name} (${file.scope})`
    )
    return [...new Set([...first, ...server.warnings.slice(remarks)]), ...hidden]
  })
})

/** About what was, or would be, written. */
export const hints = (
  target: ServerFiles.ServerFile,
  planned: ReadonlyArray<Read>,
  isWritten: boolean
): ReadonlyArray<string> => [
  ...written(planned).filter(({ isHeld }) => isHeld).map(({ name }) =>
    `${
      oneLine(name)
    } is from a file of the project, so it comes in with "enabled": false: read the entry, then boocode mcp enable ${
      oneLine(name)
    }`
  ),
  ...written(planned).flatMap(({ entry, name }) => entry === null ? [] : secretHints(name, entry, target, isWritten))
]

/** Of a name that several applications have, one can come in. */
export const contested = (planned: ReadonlyArray<Read>): ReadonlyArray<string> => {
  const all = planned.flatMap(({ application, plan }) =>
    application === null || plan === null
      ? []
      : plan.servers.filter(({ outcome }) => outcome === "added").map(({ name }) => ({ name, application }))
  )
  return [...Map.groupBy(all, ({ name }) => name)].flatMap(([name, some]) =>
    some.length < 2
      ? []
      : [
        `${oneLine(name)} is in ${some.map(({ application }) => application.id).join(", ")}: ` +
        "that of the application you import first comes in, the others then only with --force"
      ]
  )
}
