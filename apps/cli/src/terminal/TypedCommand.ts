/** The command that a person types to run this program: in a checkout there is no `boocode` on the path, as README has it. */
import * as Installation from "@boocode/chat-server/Installation"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export class TypedCommand extends Context.Reference<string>("cli/TypedCommand", { defaultValue: () => "boocode" }) {
  /** The one of this installation. */
  static readonly layer = Layer.succeed(
    TypedCommand,
    Installation.checkout === null ? "boocode" : "npx -y pnpm@12 boocode"
  )
}
