/**
 * The model of a chat that names none: `--model`, else `BOOCODE_MODEL`, else none, which is the command mode.
 */
import { CommandMode } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class DefaultModel extends Context.Service<DefaultModel, {
  /** Null is the command mode. */
  readonly model: string | null
  /** `--model`, which goes before what a chat or an agent names. */
  readonly flag: string | null
  /** `BOOCODE_MODEL`, which goes after them. */
  readonly environment: string | null
}>()("chat-server/DefaultModel") {
  static readonly layer = (flag: string | null) =>
    Layer.effect(
      DefaultModel,
      Effect.map(Environment, ({ variables }) => {
        const environment = variables["BOOCODE_MODEL"] ?? null
        const model = (flag ?? environment ?? "").trim()
        return DefaultModel.of({ model: model === "" || model === CommandMode.ID ? null : model, flag, environment })
      })
    )
}
