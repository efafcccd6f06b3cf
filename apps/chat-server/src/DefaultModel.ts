/**
 * The model where neither message, chat nor agent names one: `--model`, else `BOOCODE_MODEL`, else none, which is the
 * command mode.
 */
import { CommandMode } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class DefaultModel extends Context.Service<DefaultModel, {
  /** Null is the command mode. */
  readonly model: string | null
}>()("chat-server/DefaultModel") {
  static readonly layer = (flag: string | null) =>
    Layer.effect(
      DefaultModel,
      Effect.map(Environment, ({ variables }) => {
        const model = (flag ?? variables["BOOCODE_MODEL"] ?? "").trim()
        return DefaultModel.of({ model: model === "" || model === CommandMode.ID ? null : model })
      })
    )
}
