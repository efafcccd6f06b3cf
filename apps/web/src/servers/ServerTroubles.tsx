/** What is the matter with a server: its error with what to try, its standard error, warnings, tools that were left out. */
import type { ServerStatus } from "../api/Types.ts"
import { CodeBlock } from "../ui/code/CodeBlock.tsx"
import { Notice } from "../ui/Notice.tsx"
import { count, cut } from "../ui/Numbers.ts"

const SHORT = 240

export const ServerError = ({ status: { error, name, state } }: { readonly status: ServerStatus }) => {
  if (error === null) return null
  const isLong = error.message.length > SHORT
  return (
    <>
      <Notice tone={state === "needs-approval" ? "warn" : "bad"} hint={error.hint}>
        {isLong ? cut(error.message, SHORT) : error.message}
      </Notice>
      {isLong
        ? (
          <details class="fold">
            <summary>The whole message</summary>
            <CodeBlock code={error.message} isWrapped label={`What went wrong with ${name}`} />
          </details>
        )
        : null}
      {error.stderr === null || error.stderr === "" ? null : (
        <details class="fold">
          <summary>Standard error</summary>
          <CodeBlock code={error.stderr} isWrapped label={`Standard error of ${name}`} />
        </details>
      )}
    </>
  )
}

export const ServerWarnings = ({ status: { warnings } }: { readonly status: ServerStatus }) => (
  <>{warnings.map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}</>
)

export const Rejected = ({ status: { rejected, rejectedMore } }: { readonly status: ServerStatus }) =>
  rejected.length === 0 ? null : (
    <details class="fold">
      <summary>{count(rejected.length + rejectedMore, "tool")} rejected</summary>
      <ul class="rejected">
        {rejected.map(({ reason, tool }) => (
          <li key={`${tool} ${reason}`}>
            <code>{tool}</code> {reason}
          </li>
        ))}
        {rejectedMore === 0 ? null : <li>and {rejectedMore} more</li>}
      </ul>
    </details>
  )
