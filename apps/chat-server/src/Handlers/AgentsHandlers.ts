/**
 * The agents and the models they can use.
 */
import { Agents, CommandMode } from "@boocode/chat"
import { LanguageModels } from "@boocode/language-models"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { ChatApi } from "../ChatApi.ts"
import { DefaultModel } from "../DefaultModel.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "agents",
  Effect.fnUntraced(function*(handlers) {
    const agents = yield* Agents
    const models = yield* LanguageModels
    const { model } = yield* DefaultModel
    return handlers.handleAll({
      agents: () => agents.list,
      models: () =>
        Effect.map(
          Effect.forEach(models.providers, (provider) =>
            Effect.map(models.suggested(provider.provider), (suggested) => ({ ...provider, suggested }))),
          (providers) => ({
            default: model,
            models: providers,
            command: { active: model === null, help: CommandMode.HOW_TO_CONFIGURE }
          })
        )
    })
  })
)
