/** The question about a server of a project file, or about tools that changed: what to look at, and the decision. */
import { useSignal } from "@preact/signals"
import { Fragment } from "preact"
import { useEffect } from "preact/hooks"
import { words } from "../../api/Client.ts"
import type { ServerStatus, TrustDetails } from "../../api/Types.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { configNews } from "../../state/Live.ts"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { decide, getTrust } from "../ServersClient.ts"
import { mayBeOfProject } from "../StateWords.ts"
import { Pair, ToolChanges } from "./ToolChanges.tsx"
import { bodyOf, type Choice, choicesOf, standing } from "./TrustChoices.ts"

export const hasQuestion = (status: ServerStatus): boolean =>
  status.state === "needs-approval" || status.toolsChanged > 0 || mayBeOfProject(status)

export const TrustBox = ({ status: { name, state, toolsChanged } }: { readonly status: ServerStatus }) => {
  const details = useSignal<TrustDetails | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const decisions = useSignal(0)
  const isOpen = state === "needs-approval" || state === "disabled"
  const news = configNews.value

  // Asked anew only when something about it may be another: most news of a server says nothing about trust.
  useEffect(() => {
    const abort = new AbortController()
    getTrust(name, abort.signal).then((found) => {
      details.value = found
    }, (error) => {
      if (!abort.signal.aborted) refused.value = words(error)
    })
    return () => abort.abort()
  }, [name, isOpen, toolsChanged, news, decisions.value])

  const press = async (choice: Choice, seen: string) => {
    await run(() => decide(name, choice.verb, bodyOf(choice, seen)))
    decisions.value += 1
  }

  const found = details.value
  const isAsking = found !== null && (found.decision === "pending" || found.tools !== null)
  const problem = refused.value
  return (
    <section class={isAsking ? "trust asks" : "trust stack"} aria-label={texts.approvalOf(name)}>
      <Refused why={problem} />
      {found === null
        ? problem === null ? <Spinner label={texts.askingHowItStands} /> : null
        : (
          <>
            {found.decision === "not-needed"
              ? null
              : (
                <p class="standing">
                  <Icon name="shield" /> <span>{standing(found)}</span>
                </p>
              )}
            {found.decision === "pending" || found.decision === "rejected" ? <Entry details={found} /> : null}
            {found.tools === null ? null : <ToolChanges difference={found.tools} />}
            <div class="row">
              {choicesOf(found).map((choice) => (
                <Button
                  key={choice.words}
                  isSmall
                  {...(choice.isMain === true ? { kind: "primary" as const } : {})}
                  aria-label={`${choice.words} ${name}`}
                  disabled={isBusy.value}
                  onClick={() => void press(choice, found.seen)}
                >
                  {choice.words}
                </Button>
              ))}
            </div>
          </>
        )}
    </section>
  )
}

const Entry = ({ details: { changes, entry, problem } }: { readonly details: TrustDetails }) => (
  <>
    {problem === null ? null : <Notice tone="warn">{problem}</Notice>}
    <dl class="entry">
      {entry.map(({ key, value }) => (
        <Fragment key={key}>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
    {(changes ?? []).map((change) => (
      <Notice key={change.key} tone="warn">
        {change.key} {texts.changedSince} {change.before === change.after
          ? texts.hiddenChanged
          : <Pair change={change} />}
      </Notice>
    ))}
  </>
)
