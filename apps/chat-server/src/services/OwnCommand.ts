/** The command that a person types on this machine to run BooCode: that of a checkout is longer. */
import * as Context from "effect/Context"

export class OwnCommand extends Context.Reference<string>("chat-server/OwnCommand", {
  defaultValue: () => "boocode"
}) {}
