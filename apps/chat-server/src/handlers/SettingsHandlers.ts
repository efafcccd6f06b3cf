/** The settings. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Match from "effect/Match"
import type * as Path from "effect/Path"
import { Access } from "../access/Access.ts"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import type { DataFolder } from "../settings/DataFolder.ts"
import { ModelProviders } from "../settings/ModelProviders.ts"
import type { Settings } from "../settings/Settings.ts"
import * as SettingsChange from "../settings/SettingsChange.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "settings",
  Effect.fnUntraced(function*(handlers) {
    const { isOpen } = yield* Access
    const { refresh } = yield* ModelProviders
    const services = yield* Effect.context<DataFolder | FileSystem.FileSystem | Path.Path | Settings>()
    const look = Effect.provideContext(SettingsChange.look(isOpen), services)
    return handlers.handleAll({
      settings: () => look,
      change: ({ payload }) =>
        SettingsChange.change(payload, isOpen).pipe(
          Effect.provideContext(services),
          Effect.mapError(problem),
          Effect.andThen(refresh),
          Effect.andThen(look)
        )
    })
  })
)

const problem = Match.typeTags<Effect.Error<ReturnType<typeof SettingsChange.change>>>()({
  WrongSetting: Problems.badRequest,
  SettingOfTheFile: Problems.forbidden,
  SettingsNotWritten: Problems.notChanged
})
