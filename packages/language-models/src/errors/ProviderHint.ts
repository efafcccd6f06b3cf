/** Advice for a person when a provider failed. */
import type * as AiError from "effect/ai/AiError"
import * as Duration from "effect/Duration"
import * as ProviderRefusal from "./ProviderRefusal.ts"

/** The advice, in a sentence. */
export const hint = (error: AiError.AiError): string => {
  const { reason } = error
  switch (reason._tag) {
    case "RateLimitError":
      return `too many requests for the provider's limits: ${
        reason.retryAfter === undefined ? "wait a minute" : `wait ${words(reason.retryAfter)}`
      }, then send the message again, or choose another model`
    case "QuotaExhaustedError":
      return "the account has no credit left: add some at the provider, raise its limit, or choose another model"
    case "AuthenticationError":
      return authentication(reason.kind)
    case "InternalProviderError":
      return /overloaded/i.test(reason.description)
        ? "the provider has too much to do; nothing is wrong with the message: send it again in a few minutes, or choose another model"
        : "the provider has trouble; send the message again, or choose another model"
    case "NetworkError":
      return /\/\/(localhost|127\.|\[::1\])/.test(reason.url)
        ? "see that the model's server runs at this address and is not busy, then send the message again"
        : "check the network and the provider's address, then send the message again"
    case "InvalidRequestError":
      return refused(error, `${reason.description ?? ""} ${reason.http?.response?.status ?? ""}`)
    case "UnsupportedSchemaError":
      return "choose another model, or leave out the tool that is named"
    case "ContentPolicyError":
      return "say it differently: the provider's filter refused it"
    default:
      return "send the message again, or choose another model"
  }
}

const authentication = (kind: string): string => {
  switch (kind) {
    case "MissingKey":
      return "set the provider's API key in the environment or in .env beside mcp.json, then start again"
    case "InsufficientPermissions":
      return "the key may not use this model: allow it in the provider's account, or choose another model"
    default:
      return "check the provider's API key in the environment or in .env beside mcp.json, then start again"
  }
}

const refused = (error: AiError.AiError, said: string): string => {
  if (ProviderRefusal.isTooLong(error)) {
    return "the conversation is too long for the model: start a new chat, choose a model that reads more, or say its " +
      "contextTokens under models in settings.json"
  }
  if (ProviderRefusal.isBlind(error)) {
    return "this model sees no images: send the message without, or choose another model"
  }
  if (ProviderRefusal.isAboutRoles(error)) {
    return "choose another model: this one does not take the order of these messages"
  }
  if (ProviderRefusal.isAboutImages(error)) return "send the message without the image, or with another one"
  if (/try pulling it/i.test(said)) return "get the model first (ollama pull NAME), or choose another one"
  if (
    /\bmodel\b.{0,200}(not[ _](be )?(found|exist|support|available|valid)|does not exist|unknown|decommissioned|deprecated)| 404$/is
      .test(said)
  ) {
    return "choose another model: the provider knows none of this name, or this key may not use it"
  }
  if (/(support|enable)[^.]{0,40}\b(tool|function)/i.test(said)) {
    return "this model cannot call tools: choose another one, or an agent without tools (tools: [])"
  }
  return "check what the model can do; another model or a new chat may help"
}

const words = (wait: Duration.Duration): string => {
  const seconds = Math.ceil(Duration.toSeconds(wait))
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}
