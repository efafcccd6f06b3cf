/** Whose servers a verb is about: those of a running server, or its own. */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

export interface Target {
  /** What `--url` names, without a slash at the end; null leaves it to what is running. */
  readonly url: string | null
  /** `--local`: never ask a running server. */
  readonly isLocal: boolean
}

const address = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === ""
  return isAddress ? Option.some(url.href.replace(/\/+$/, "")) : Option.none()
}

const url = Flag.String("url").pipe(
  Flag.withMetavar("URL"),
  Flag.filterMap(address, () => "the address of a running server, such as http://127.0.0.1:4266"),
  Flag.optional
)

const local = (description: string) =>
  Flag.Boolean("local").pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

/** For verbs that do without a running server as well. */
export const flags = {
  url: Flag.withDescription(url, "Talk to the server that runs there, in place of the one of this data folder"),
  local: local("Start servers of its own, also while a server runs")
}

/** For verbs about what is kept. */
export const keptFlags = {
  url: flags.url,
  local: local("Read what this command keeps itself, also while a server runs")
}

/** For verbs that are about a running server. */
export const remoteFlags = { url: flags.url }

export const target = (given: { readonly url: Option.Option<string>; readonly local?: boolean }): Target => ({
  url: Option.getOrNull(given.url),
  isLocal: given.local ?? false
})
