/** The rules of permissions.jsonc and of project files, as the tools of chats read them. */
import { type PermissionContent, Permissions } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The contents of the files, a person's own first; asked at each call. Without a layer there are none. */
export class PermissionFiles extends Context.Reference<{
  readonly contents: Effect.Effect<ReadonlyArray<PermissionContent>>
}>("chat/PermissionFiles", { defaultValue: () => ({ contents: Effect.succeed([]) }) }) {
  /** The files of `Permissions`, as they stand at each call. */
  static readonly layer: Layer.Layer<never, never, Permissions> = Layer.effect(
    PermissionFiles,
    Effect.map(Permissions, ({ contents }) => ({ contents }))
  )
}
