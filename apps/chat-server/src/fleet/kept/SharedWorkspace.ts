/** Whether the workspace of this node is the folder that the other nodes have: a mark in it says so. */
import * as Workspace from "@boocode/chat/Workspace"
import { StateStorage } from "@boocode/mcp-client/StateStorage"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { randomUUID } from "node:crypto"
import { DataFolder } from "../../settings/DataFolder.ts"
import { NodeTable } from "../NodeTable.ts"

/** Where a fleet has files of its own in a workspace: tools neither show nor change them. */
export const ownFolder = (path: Path.Path, workspace: string): string => path.join(workspace, Workspace.OWN)

/** The name of the mark, in the folder and among the state of the fleet. */
const MARK = "workspace-mark"
/** A node whose row is older is not there any more. */
const GONE_SECONDS = 10
const LOOKS = 10
const BETWEEN = "500 millis"

/**
 * A node that is alone marks its workspace. One that comes to others looks for their mark, and warns where it is not there:
 * then each has files of its own.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const storage = yield* StateStorage
  if (storage === null) return
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const table = yield* NodeTable
  const { workspace } = yield* DataFolder
  const folder = ownFolder(path, workspace)
  const file = path.join(folder, MARK)
  const here = Effect.catchReason(
    fs.readFileString(file),
    "PlatformError",
    "NotFound",
    () => Effect.succeed(null)
  )
  const marked = Effect.fnUntraced(function*(text: string, before: number) {
    if (!(yield* storage.write(MARK, text, before))) return false
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(file, text, { mode: 0o600 })
    return true
  })
  const isShared = Effect.gen(function*() {
    const found = yield* here
    const kept = yield* storage.read(MARK)
    if (kept !== null && kept.text === found) return true
    const isAlone = (yield* table.all).every(({ address, age }) => address === table.self || age > GONE_SECONDS)
    return kept === null || isAlone ? yield* marked(found ?? randomUUID(), kept?.version ?? 0) : false
  })
  const check = Effect.gen(function*() {
    for (let look = 0; look < LOOKS; look++) {
      if (yield* isShared) return
      // The node that marks it may be at it.
      yield* Effect.sleep(BETWEEN)
    }
    yield* Effect.logWarning(
      `the workspace of this node, ${workspace}, is not the folder of the other nodes: a chat that goes to another node finds ` +
        `other files there; give all nodes one folder (docs/fleet.md#state)`
    )
  }).pipe(
    Effect.catch(({ message }) => Effect.logWarning(`it is not known whether the nodes share a workspace: ${message}`))
  )
  yield* Effect.forkScoped(check)
}))
