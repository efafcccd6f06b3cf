/** The diagnosis of `mcp doctor`: steps, findings and a verdict for each server. */
import type { ConfiguredServer } from "@boocode/mcp-config"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isRejected } from "../../lines/ServerLines.ts"
import * as Evidence from "./Evidence.ts"
import * as Findings from "./Findings.ts"
import * as Start from "./Start.ts"

/** `mcp doctor --json`. `files` are those that a running server cannot use. */
export const examine = (
  all: ReadonlyArray<Evidence.Evidence>,
  files: ReadonlyArray<{ readonly message: string; readonly hint: string }>
) => {
  const servers = all.map(diagnose)
  const problems = files.map(({ hint, message }) => Evidence.problem(message, hint))
  return { healthy: problems.length === 0 && servers.every(({ verdict }) => verdict !== "problem"), problems, servers }
}

const diagnose = (evidence: Evidence.Evidence) => {
  const { connectMillis, name, source, state, tokens, tools, transport } = evidence.status
  const verdict = verdictOf(evidence.status)
  return { name, transport, source, state, verdict, tools, tokens, millis: connectMillis, steps: stepsOf(evidence) }
}

export type Diagnosis = ReturnType<typeof examine>
export type ServerDiagnosis = ReturnType<typeof diagnose>

/** A rejected server counts as disabled: a person turned it off. */
const verdictOf = (status: Evidence.Evidence["status"]) =>
  status.state === "ready"
    ? "healthy" as const
    : status.state === "disabled" || isRejected(status)
    ? "disabled" as const
    : "problem" as const

/** The steps after the tools are listed. */
const AFTER: ReadonlyArray<Evidence.StepName> = ["schemas", "names", "tokens", "behaviour"]

const stepsOf = (evidence: Evidence.Evidence): ReadonlyArray<Evidence.Step> => {
  const { finding, steps, stopped } = Start.outcome(evidence)
  const isReady = evidence.status.state === "ready"
  const all = isReady ? [...steps, ...AFTER] : steps
  const end = stopped === null ? all.length : all.indexOf(stopped)
  return all.map((step, index) => {
    if (index > end) return { step, outcome: "skipped", millis: null, detail: null, findings: [] }
    const findings = [...(index === end && finding !== null ? [finding] : []), ...findingsOf(step, evidence)]
    return {
      step,
      outcome: outcomeOf(findings),
      millis: Start.millisOf(step, evidence),
      detail: index === end ? null : detailOf(step, evidence),
      findings
    }
  })
}

const outcomeOf = (findings: ReadonlyArray<Evidence.Finding>): Evidence.Step["outcome"] =>
  findings.some(({ level }) => level === "problem")
    ? "problem"
    : findings.some(({ level }) => level === "warning")
    ? "warning"
    : "ok"

const findingsOf = (step: Evidence.StepName, evidence: Evidence.Evidence): ReadonlyArray<Evidence.Finding> => {
  switch (step) {
    case "entry":
      return [
        ...evidence.status.warnings.filter((warning) => isOfEntry(warning, evidence)).map((one) =>
          Evidence.warning(one)
        ),
        ...evidence.hides.map((file) => Evidence.note(`hides the server of this name in ${file}`))
      ]
    case "listing":
      return evidence.status.state === "ready"
        ? [...Start.sleep(evidence), ...Findings.listing(evidence), ...Start.slowness(evidence)]
        : []
    case "schemas":
      return Findings.schemas(evidence)
    case "names":
      return Findings.toolNames(evidence)
    case "tokens":
      return Findings.tokens(evidence)
    case "behaviour":
      return evidence.status.warnings.filter((warning) => !isOfEntry(warning, evidence)).map((one) =>
        Evidence.warning(one)
      )
    default:
      return []
  }
}

/** Warnings about an entry begin with its place, or name a key without effect. */
const isOfEntry = (warning: string, { entry, status: { source } }: Evidence.Evidence): boolean =>
  warning.startsWith(`${source}:`) || /^"\w+" has no effect/.test(warning) ||
  (entry?.warnings.includes(warning) ?? false)

const detailOf = (step: Evidence.StepName, evidence: Evidence.Evidence): string | null => {
  const { entry, status } = evidence
  switch (step) {
    case "entry":
      return status.source
    case "variables":
      return entry === null ? null : variablesOf(entry).join(", ") || "none are used"
    case "command":
      return entry !== null && Result.isSuccess(entry.config) && entry.config.success.transport._tag === "stdio"
        ? entry.config.success.transport.command
        : null
    case "handshake":
      return status.serverInfo === null ? null : `${status.serverInfo.name} ${status.serverInfo.version}`.trim()
    case "protocol":
      return status.protocolVersion === null ? null : `${status.protocolVersion}${isOverSse(status) ? OVER_SSE : ""}`
    case "authentication":
      return status.state === "ready" ? signedInWords(status) : null
    case "listing":
      return Findings.counts(status)
    case "schemas":
      return schemasWords(evidence)
    case "tokens":
      return `about ${status.tokens}`
    default:
      return null
  }
}

const signedInWords = ({ auth }: Evidence.Evidence["status"]): string => {
  if (auth?.signedIn !== true) return "not asked for, or accepted"
  const scopes = auth.scopes.length === 0 ? "" : `, may ${auth.scopes.join(" ")}`
  return `signed in${auth.issuer === null ? "" : ` at ${auth.issuer}`}${scopes}`
}

const OVER_SSE = " over HTTP+SSE"

/** By its entry, or because the server refused POST. */
const isOverSse = ({ steps, transport }: Evidence.Evidence["status"]): boolean =>
  transport === "sse" || steps.some(({ step }) => step.endsWith(OVER_SSE))

const schemasWords = (evidence: Evidence.Evidence): string => {
  const refusers = Findings.refusers(evidence)
  return refusers.length === 0 ? "every tool can be sent to every provider" : `not all for ${refusers.join(" and ")}`
}

const VARIABLE = /\$?\$\{([A-Za-z_]\w*)/g

const variablesOf = ({ declared }: ConfiguredServer): ReadonlyArray<string> => {
  if (declared === undefined) return []
  const { args, command, cwd, env, envFile, headers, headersHelper, url } = declared
  const texts = [command, cwd, envFile, url, headersHelper, ...args, ...Object.values(env), ...Object.values(headers)]
    .flatMap((text) => text === null ? [] : [Redacted.value(text)])
  const names = texts.flatMap((text) => [...text.matchAll(VARIABLE)])
    .flatMap(([token, name]) => name === undefined || token.startsWith("$$") ? [] : [name])
  return [...new Set(names)].sort()
}
