/** The examples of the files, and running them. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { ExampleReport, PermissionExample } from "../api/Types.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { Row } from "../ui/lists/Row.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { Success } from "../ui/Success.tsx"
import { FailedExamples } from "./FailedExamples.tsx"
import { runExamples } from "./PermissionsClient.ts"
import { OutcomeBadge } from "./RuleList.tsx"

export const ExampleList = ({ examples }: { readonly examples: ReadonlyArray<PermissionExample> }) => {
  const report = useSignal<ExampleReport | null>(null)
  const { isBusy, refused, run } = useAttempt()
  // A report is about the examples that were run.
  useEffect(() => {
    report.value = null
  }, [examples])
  const test = () =>
    run(async () => {
      report.value = await runExamples()
    })
  return (
    <section class="setting-group" aria-label={words.examples}>
      <h2 class="section-heading">{words.examples}</h2>
      {examples.length === 0 ? <p class="muted">{words.noExamples}</p> : (
        <>
          <ul class="items" aria-label={words.examples}>
            {examples.map((example, index) => {
              return (
                <Row
                  key={`${index} ${example.tool}`}
                  label={words.expects(example.tool)}
                  icon={<OutcomeBadge outcome={example.expect} />}
                  title={<code>{example.tool}</code>}
                  meta={example.agent === null
                    ? example.source
                    : `${example.source} · ${words.forAgent(example.agent)}`}
                >
                  <p class="muted">
                    <code>{JSON.stringify(example.args)}</code>
                  </p>
                </Row>
              )
            })}
          </ul>
          <div class="row permissions-foot">
            <Button disabled={isBusy.value} onClick={() => void test()}>{words.run}</Button>
            {isBusy.value ? <Spinner label={words.running} /> : null}
            {report.value === null
              ? null
              : report.value.failed.length === 0
              ? <Success>{words.passed(report.value.passed)}</Success>
              : <FailedExamples examples={report.value.failed} />}
          </div>
        </>
      )}
      <Refused why={refused.value} />
    </section>
  )
}
