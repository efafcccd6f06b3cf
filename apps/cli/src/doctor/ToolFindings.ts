/** What there is to say about a server's tools: those left out, their names, what they cost. */
import * as Diagnosis from "./Diagnosis.ts"
import type { Evidence } from "./Evidence.ts"

type Findings = ReadonlyArray<Diagnosis.Finding>

/** A long list names its first ones. */
const SHOWN = 3
export const some = (names: ReadonlyArray<string>, between = ", "): string =>
  names.length <= SHOWN
    ? names.join(between)
    : `${names.slice(0, SHOWN).join(between)} and ${names.length - SHOWN} more`

/** Which tools discovery left out, and why. */
export const listing = ({ status }: Evidence): Findings => {
  const reasons = Map.groupBy(status.rejected.filter(({ reason }) => !isAboutNames(reason)), ({ reason }) => reason)
  return [
    ...noTools(status),
    ...[...reasons].map(([reason, rejected]) =>
      (reason.startsWith("malformed") ? Diagnosis.warning : Diagnosis.note)(
        `left out ${some(rejected.map(({ tool }) => tool))}: ${reason}`
      )
    ),
    ...(status.rejectedMore === 0 ? [] : [Diagnosis.note(`left out ${status.rejectedMore} more tools`)]),
    ...(status.toolsChanged === 0 ? [] : [
      Diagnosis.warning(
        `${count(status.toolsChanged, "tool is", "tools are")} not as pinned`,
        `boocode mcp approve ${status.name} --dry-run shows what changed`
      )
    ])
  ]
}

const noTools = ({ rejected, tools }: Evidence["status"]): Findings => {
  if (tools > 0) return []
  return rejected.length === 0
    ? [Diagnosis.warning("it offers no tools", "check that it is the server you mean, and what its entry passes to it")]
    : [Diagnosis.warning("it offers tools, and none of them can be used")]
}

/** How many tools there are, were left out, and are called after a person's yes only. */
export const counts = ({ asks, rejected, rejectedMore, tools }: Evidence["status"]): string => {
  const asking = asks === 0 ? "" : `, ${asks} ask${asks === 1 ? "s" : ""} first`
  return `${count(tools, "tool", "tools")}, ${rejected.length + rejectedMore} left out${asking}`
}

export const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

const isAboutNames = (reason: string): boolean => /^(its name |listed more than once)/.test(reason)

const SUFFIXED = /_[0-9a-f]{8}$/

/** Names that stand in each other's way, in this server's list and between servers. */
export const names = ({ servers, status: { name, rejected }, tools }: Evidence): Findings => {
  const suffixed = tools.filter((tool) => SUFFIXED.test(tool.name) && !tool.name.endsWith(tool.tool))
  const longer = servers.filter((other) => other.startsWith(`${name}_`))
  return [
    ...rejected.filter(({ reason }) => isAboutNames(reason)).map(({ reason, tool }) =>
      Diagnosis.warning(
        `left out ${tool}: ${reason}`,
        "two tools of one server have the same name: have the server mended"
      )
    ),
    ...(suffixed.length === 0 ? [] : [
      Diagnosis.note(`has to go by other names than its own: ${some(suffixed.map((tool) => tool.name))}`)
    ]),
    ...(longer.length === 0 ? [] : [
      Diagnosis.note(`the pattern ${name}_* of an agent allows the tools of ${some(longer)} too`)
    ])
  ]
}

/** More than this for one server is worth a word. */
const MANY_TOKENS = 10_000

/** What its tools cost, and which cost most. */
export const tokens = ({ status, tools }: Evidence): Findings => {
  if (status.tokens <= MANY_TOKENS) return []
  const largest = tools.toSorted((a, b) => b.tokens - a.tokens).map((tool) => `${tool.name} (${tool.tokens})`)
  const message = `its tools are part of every request of an agent that has them; the largest are ${some(largest)}`
  return [Diagnosis.warning(message, `leave out what nobody needs, by "tools" of the entry or of the agent`)]
}
