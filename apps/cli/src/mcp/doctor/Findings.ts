/** Findings about the tools of a server: their schemas at each provider, their names, and what they cost. */
import { SchemaDialect } from "@boocode/toolkit"
import * as Result from "effect/Result"
import { counted } from "../../terminal/Output.ts"
import * as Evidence from "./Evidence.ts"

type Findings = ReadonlyArray<Evidence.Finding>

const PROVIDERS = [
  { provider: "OpenAI", dialect: "openai" },
  { provider: "Anthropic", dialect: "anthropic" },
  { provider: "Gemini", dialect: "gemini" }
] as const

interface Judged {
  readonly name: string
  /** Why the provider never gets the tool; null when it does. */
  readonly unsendable: string | null
  /** The keywords that do not reach the provider as such. */
  readonly lost: ReadonlyArray<string>
}

const judged = ({ tools }: Evidence.Evidence, { dialect }: typeof PROVIDERS[number]): ReadonlyArray<Judged> =>
  tools.map(({ inputSchema, name }) =>
    Result.match(SchemaDialect.convert(dialect, inputSchema), {
      onFailure: (reason): Judged => ({ name, unsendable: reason, lost: [] }),
      onSuccess: ({ losses }): Judged => ({
        name,
        unsendable: null,
        lost: [...new Set(losses.map(({ path }) => keyword(path)))]
      })
    })
  )

/** The path of a loss ends with its keyword. */
const keyword = (path: string): string => path.split(".").at(-1)?.replace(/\[\d+\]$/, "") ?? path

/** At most two findings for each provider, however many tools there are. */
export const schemas = (evidence: Evidence.Evidence): Findings =>
  PROVIDERS.flatMap((provider) => {
    const tools = judged(evidence, provider)
    return [...unsendable(provider.provider, tools), ...lost(provider.provider, tools)]
  })

const unsendable = (provider: string, tools: ReadonlyArray<Judged>): Findings => {
  const left = tools.filter((tool) => tool.unsendable !== null)
  return left.length === 0 ? [] : [Evidence.warning(
    `${provider} takes ${firstOf(left.map(({ name }) => name))} in no form: ${left[0]?.unsendable}`,
    "a request to it goes without; the server's authors can correct its schema"
  )]
}

const lost = (provider: string, tools: ReadonlyArray<Judged>): Findings => {
  const losing = tools.filter((tool) => tool.lost.length > 0)
  if (losing.length === 0) return []
  const keywords = mostOften(losing.map((tool) => tool.lost))
  const declaring = losing.length === 1 ? `${losing[0]?.name} declares` : `${losing.length} tools declare`
  return [Evidence.note(
    `${provider} has no place for some of what ${declaring}, which is said in words where it can be: ${keywords}`
  )]
}

/** The most frequent ones, each with its number of tools. */
const mostOften = (named: ReadonlyArray<ReadonlyArray<string>>): string => {
  const groups = [...Map.groupBy(named.flat(), (one) => one)].map(([one, all]) => ({ one, times: all.length }))
  const sorted = groups.toSorted((a, b) => b.times - a.times || (a.one < b.one ? -1 : 1))
  return firstOf(sorted.map(({ one, times }) => `${one} (${counted(times, "tool")})`), "; ")
}

/** The providers that do not get every tool of this server. */
export const refusers = (evidence: Evidence.Evidence): ReadonlyArray<string> =>
  PROVIDERS.filter((provider) => judged(evidence, provider).some((tool) => tool.unsendable !== null))
    .map(({ provider }) => provider)

/** A list names this many. */
const SHOWN = 3
const firstOf = (names: ReadonlyArray<string>, between = ", "): string =>
  names.length <= SHOWN
    ? names.join(between)
    : `${names.slice(0, SHOWN).join(between)} and ${names.length - SHOWN} more`

export const listing = ({ status }: Evidence.Evidence): Findings => {
  const reasons = Map.groupBy(status.rejected.filter(({ reason }) => !isAboutNames(reason)), ({ reason }) => reason)
  return [
    ...noTools(status),
    ...[...reasons].map(([reason, rejected]) =>
      (reason.startsWith("malformed") ? Evidence.warning : Evidence.note)(
        `left out ${firstOf(rejected.map(({ tool }) => tool))}: ${reason}`,
        rejected.some(({ writer }) => writer) ? status.offer : null
      )
    ),
    ...(status.rejectedMore === 0 ? [] : [Evidence.note(`left out ${status.rejectedMore} more tools`)]),
    ...(status.toolsChanged === 0 ? [] : [
      Evidence.warning(
        `${counted(status.toolsChanged, "tool is", "tools are")} not as pinned`,
        `boocode mcp approve ${status.name} --dry-run shows what changed`
      )
    ])
  ]
}

const noTools = ({ rejected, tools }: Evidence.Evidence["status"]): Findings => {
  if (tools > 0) return []
  return rejected.length === 0
    ? [Evidence.warning("it offers no tools", "check that it is the server you mean, and what its entry passes to it")]
    : [Evidence.warning("it offers tools, and none of them can be used")]
}

export const counts = ({ asks, rejected, rejectedMore, tools }: Evidence.Evidence["status"]): string => {
  const asking = asks === 0 ? "" : `, ${asks} ask${asks === 1 ? "s" : ""} first`
  return `${counted(tools, "tool")}, ${rejected.length + rejectedMore} left out${asking}`
}

const isAboutNames = (reason: string): boolean => /^(its name |listed more than once)/.test(reason)

const SUFFIXED = /_[0-9a-f]{8}$/

export const toolNames = ({ servers, status: { name, rejected }, tools }: Evidence.Evidence): Findings => {
  const suffixed = tools.filter((tool) => SUFFIXED.test(tool.name) && !tool.name.endsWith(tool.tool))
  const longer = servers.filter((other) => other.startsWith(`${name}_`))
  return [
    ...rejected.filter(({ reason }) => isAboutNames(reason)).map(({ reason, tool }) =>
      Evidence.warning(
        `left out ${tool}: ${reason}`,
        "two tools of one server have the same name: report it to the server's authors"
      )
    ),
    ...(suffixed.length === 0 ? [] : [
      Evidence.note(`has to go by other names than its own: ${firstOf(suffixed.map((tool) => tool.name))}`)
    ]),
    ...(longer.length === 0 ? [] : [
      Evidence.note(`the pattern ${name}_* of an agent allows the tools of ${firstOf(longer)} too`)
    ])
  ]
}

/** More than this for one server is worth a warning. */
const MANY_TOKENS = 10_000

/** The cost of its tools, and the largest of them. */
export const tokens = ({ status, tools }: Evidence.Evidence): Findings => {
  if (status.tokens <= MANY_TOKENS) return []
  const largest = tools.toSorted((a, b) => b.tokens - a.tokens).map((tool) => `${tool.name} (${tool.tokens})`)
  const message = `its tools are part of every request of an agent that has them; the largest are ${firstOf(largest)}`
  return [Evidence.warning(message, `leave out what nobody needs, by "tools" of the entry or of the agent`)]
}
