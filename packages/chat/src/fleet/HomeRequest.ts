/** A request to the node of a chat. */
import * as Effect from "effect/Effect"
import { ChatStoreFailed } from "../store/ChatStore.ts"
import type { HomeTrouble } from "./ChatHomes.ts"

/** A node that dies is missed for some seconds, and its chats come to another one then. */
const LIMIT = "60 seconds"

const TROUBLE = [
  "MailboxFull",
  "AlreadyProcessingMessage",
  "PersistenceError",
  "EntityNotAssignedToRunner"
] as const satisfies ReadonlyArray<HomeTrouble["_tag"]>

/** The answer of the node, within a minute. */
export const asked = <A, E extends { readonly _tag: string }, R>(
  request: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, Extract<E, HomeTrouble>> | ChatStoreFailed, R> =>
  request.pipe(
    Effect.catchIf(
      (error): error is Extract<E, HomeTrouble> => TROUBLE.some((tag) => tag === error._tag),
      ({ _tag }) => Effect.fail(failed(`its node cannot be asked (${_tag})`))
    ),
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(failed(`no node of the fleet answered within ${LIMIT}`))
    })
  )

const failed = (why: string) => new ChatStoreFailed({ operation: "ask", why })
