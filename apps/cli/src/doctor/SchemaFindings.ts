/** What each provider makes of a server's schemas: what it would refuse as declared, and what is sent to it instead. */
import { ProviderRules, SchemaDialect } from "@boocode/toolkit"
import * as Result from "effect/Result"
import * as Diagnosis from "./Diagnosis.ts"
import type { Evidence } from "./Evidence.ts"
import { count, some } from "./ToolFindings.ts"

type Findings = ReadonlyArray<Diagnosis.Finding>

/** Whose models are asked about, and the dialect each is spoken to in. */
const PROVIDERS = [
  { provider: "OpenAI", dialect: "openai" },
  { provider: "Anthropic", dialect: "anthropic" },
  { provider: "Gemini", dialect: "gemini" }
] as const

interface Judged {
  readonly name: string
  /** What the provider refuses in the schema as declared. */
  readonly declared: ReadonlyArray<ProviderRules.Violation>
  /** Why the tool is not sent to it at all; null when it is. */
  readonly unsendable: string | null
  /** The keywords that do not reach it as such. */
  readonly lost: ReadonlyArray<string>
}

const judged = ({ tools }: Evidence, { dialect }: typeof PROVIDERS[number]): ReadonlyArray<Judged> =>
  tools.map(({ inputSchema, name }) => {
    const declared = ProviderRules.check(dialect, inputSchema)
    return Result.match(SchemaDialect.convert(dialect, inputSchema), {
      onFailure: (reason): Judged => ({ name, declared, unsendable: reason, lost: [] }),
      onSuccess: ({ losses, schema }): Judged => ({
        name,
        declared,
        unsendable: ProviderRules.check(dialect, schema)[0]?.detail ?? null,
        lost: [...new Set(losses.map(({ path }) => keyword(path)))]
      })
    })
  })

/** A loss's place ends with the keyword it is about. */
const keyword = (path: string): string => path.split(".").at(-1)?.replace(/\[\d+\]$/, "") ?? path

/** At most three findings for each provider, however many tools there are. */
export const schemas = (evidence: Evidence): Findings =>
  PROVIDERS.flatMap((provider) => {
    const tools = judged(evidence, provider)
    return [
      ...unsendable(provider.provider, tools),
      ...mended(provider.provider, tools),
      ...lost(provider.provider, tools)
    ]
  })

const unsendable = (provider: string, tools: ReadonlyArray<Judged>): Findings => {
  const left = tools.filter((tool) => tool.unsendable !== null)
  return left.length === 0 ? [] : [Diagnosis.warning(
    `${provider} takes ${some(left.map(({ name }) => name))} in no form: ${left[0]?.unsendable}`,
    "a request to it goes without; the server's authors can mend its schema"
  )]
}

const mended = (provider: string, tools: ReadonlyArray<Judged>): Findings => {
  const refused = tools.filter(({ declared, unsendable }) => declared.length > 0 && unsendable === null)
  if (refused.length === 0) return []
  const reasons = mostOften(refused.map(({ declared }) => [...new Set(declared.map(({ detail }) => detail))]))
  const names = some(refused.map(({ name }) => name))
  const which = refused.length === 1 ? `${names} as declared` : `any of ${refused.length} tools as declared: ${names}`
  return [Diagnosis.note(`${provider} would refuse a request with ${which}. What is sent is changed, since ${reasons}`)]
}

const lost = (provider: string, tools: ReadonlyArray<Judged>): Findings => {
  const losing = tools.filter((tool) => tool.lost.length > 0)
  if (losing.length === 0) return []
  const keywords = mostOften(losing.map((tool) => tool.lost))
  const declaring = losing.length === 1 ? `${losing[0]?.name} declares` : `${losing.length} tools declare`
  return [Diagnosis.note(
    `${provider} has no place for some of what ${declaring}, which is said in words where it can be: ${keywords}`
  )]
}

/** What is named most often, each with the number of tools that name it. */
const mostOften = (named: ReadonlyArray<ReadonlyArray<string>>): string => {
  const groups = [...Map.groupBy(named.flat(), (one) => one)].map(([one, all]) => ({ one, times: all.length }))
  const sorted = groups.toSorted((a, b) => b.times - a.times || (a.one < b.one ? -1 : 1))
  return some(sorted.map(({ one, times }) => `${one} (${count(times, "tool", "tools")})`), "; ")
}

/** The providers that some tool of this server is not sent to. */
export const refusers = (evidence: Evidence): ReadonlyArray<string> =>
  PROVIDERS.filter((provider) => judged(evidence, provider).some((tool) => tool.unsendable !== null))
    .map(({ provider }) => provider)
