/** The troubles of a server: its error with the advice, its standard error, warnings, tools that were left out. */
import type { Refusal } from "../api/Client.ts"
import type { ServerStatus } from "../api/Types.ts"
import { language } from "../language/Language.ts"
import { cut } from "../messages/Numbers.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import { ClassBadge } from "../tools/ToolBadges.tsx"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { asTyped } from "../ui/code/ShownCommand.ts"
import { Notice } from "../ui/Notice.tsx"
import { withoutPlace, wrongKey } from "./entry/Obstacle.ts"
import { WritersSwitch } from "./WritersSwitch.tsx"

const SHORT = 240

/** Where a command was looked for is a long list that few need. */
const SEARCHED = /[,:;]? ?\(?searched [^\n]*$/

const UNSET = /^(?:.*[/\\])?([^/\\]+):(\d+):\d+: mcpServers\.[^.]+\.(\S+) needs the variable (\S+), which is not set$/

interface Told {
  readonly name: string
  readonly error: NonNullable<ServerStatus["error"]>
}

/** A sentence, and what to try. The whole of a long message is in a fold. */
const headline = ({ error, name }: Told): Refusal => {
  const { hint, message } = error
  const wrong = error._tag === "InvalidEntry" ? wrongKey({ error, name }) : null
  if (wrong !== null) return { message: words.wrongKey(wrong, withoutPlace(message)), hint }
  const known: Readonly<Record<string, string>> = words.errors
  const inWords = language === "en" ? undefined : known[error._tag]
  if (inWords !== undefined) return { message: inWords, hint: null }
  const [, file, line, key, variable] = UNSET.exec(message) ?? []
  return file === undefined || line === undefined || key === undefined || variable === undefined
    ? { message: cut(message.replace(SEARCHED, ""), SHORT), hint }
    : { message: words.unset(variable), hint: words.usedIn(key, file, line) }
}

export const ServerError = ({ status: { error, name, state } }: { readonly status: ServerStatus }) => {
  if (error === null) return null
  const { hint, message: short } = headline({ error, name })
  const isMore = error.message !== short
  return (
    <>
      <Notice tone={state === "needs-approval" ? "warn" : "bad"} hint={hint}>{short}</Notice>
      {isMore
        ? (
          <details class="fold">
            <summary>{words.wholeMessage}</summary>
            <CodeBlock code={asTyped(`${error.message}\n${error.hint}`)} isWrapped label={words.wentWrong(name)} />
          </details>
        )
        : null}
      {error.stderr === null || error.stderr === "" ? null : (
        <details class="fold">
          <summary>{words.stderr}</summary>
          <CodeBlock code={error.stderr} isWrapped label={words.stderrOf(name)} />
        </details>
      )}
    </>
  )
}

export const ServerWarnings = ({ status: { warnings } }: { readonly status: ServerStatus }) => (
  <>{warnings.map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}</>
)

/** The tools that are left out, and the click that offers those that only write. */
export const Rejected = ({ status }: { readonly status: ServerStatus }) => {
  const { rejected, rejectedMore } = status
  return rejected.length === 0 ? null : (
    <details class="fold">
      <summary>{words.rejected(rejected.length + rejectedMore)}</summary>
      {status.writes === "ask" ? null : <WritersSwitch status={status} />}
      <ul class="rejected">
        {rejected.map(({ class: toolClass, reason, tool }) => (
          <li key={`${tool} ${reason}`}>
            <code>{tool}</code> {asTyped(reason)}{" "}
            {toolClass === "destroys" ? <ClassBadge toolClass={toolClass} /> : null}
          </li>
        ))}
        {rejectedMore === 0 ? null : <li>{words.andMore(rejectedMore)}</li>}
      </ul>
    </details>
  )
}
