/** Filling in what a published server needs, seeing what will run, trying it, and adding it. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Problem } from "../../api/Client.ts"
import type { EntryTrial, Installed, PublishedCandidate, PublishedDetails, WantedServer } from "../../api/Types.ts"
import { entry as entries } from "../../messages/EntryMessages.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { go, route } from "../../state/Route.ts"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Fold } from "../../ui/Fold.tsx"
import { TextField } from "../../ui/forms/TextField.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { applied } from "../entry/Applied.ts"
import { TrialView } from "../entry/TrialView.tsx"
import { install, plan, tryPublished } from "./GalleryClient.ts"
import { InputField } from "./InputField.tsx"
import { inputsOf, type Typed } from "./InstallDraft.ts"
import { FIND } from "./PublishedMarks.tsx"

interface CandidateFormProps {
  readonly details: PublishedDetails
  readonly candidate: PublishedCandidate
}

type Busy = "planning" | "trying" | "adding"

const DOING: Readonly<Record<Busy, string>> = {
  planning: words.planning,
  trying: words.trying,
  adding: words.adding
}

export const CandidateForm = ({ candidate, details }: CandidateFormProps) => {
  const { inputs } = candidate
  const typed = useSignal<Typed>({})
  const name = useSignal(details.suggestedName)
  /** The plan with the values as they are; null until it was worked out. */
  const planned = useSignal<Installed | null>(null)
  const trial = useSignal<EntryTrial | null>(null)
  const wrong = useSignal<Readonly<Record<string, string>>>({})
  const busy = useSignal<Busy | null>(null)
  const attempt = useAttempt()
  const wanted = (): WantedServer => ({
    name: details.name,
    version: details.version,
    candidate: candidate.id,
    inputs: inputsOf(inputs, typed.value),
    as: name.value.trim()
  })
  /** A problem with a value stands at its field, everything else below. */
  const run = async (what: Busy, request: () => Promise<void>) => {
    busy.value = what
    wrong.value = {}
    await attempt.run(() =>
      request().catch((error) => {
        if (!(error instanceof Problem) || error.fields.length === 0) throw error
        wrong.value = Object.fromEntries(error.fields.map(({ field, message }) => [field, message]))
        if (error.fields.some(({ field }) => !inputs.some(({ key }) => key === field))) throw error
      })
    )
    busy.value = null
  }
  const show = () =>
    run("planning", async () => {
      planned.value = await plan(wanted())
    })
  const tryIt = () =>
    run("trying", async () => {
      trial.value = null
      trial.value = await tryPublished(wanted())
    })
  const add = () =>
    run("adding", async () => {
      const called = name.value.trim()
      await applied(called, install(wanted()))
      tell({ text: words.added(called) })
      // Unless the person went on to something else meanwhile.
      if (route.value.rest[0] === FIND) go("servers", [called])
    })
  useEffect(() => {
    if (inputs.length === 0) void show()
  }, [])
  const changed = () => {
    planned.value = null
    trial.value = null
  }
  const isBusy = busy.value !== null
  const ready = planned.value
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void (ready === null ? show() : add())
      }}
    >
      {inputs.map((input) => (
        <InputField
          key={input.key}
          input={input}
          value={typed.value[input.key] ?? ""}
          wrong={wrong.value[input.key] ?? null}
          onValue={(value) => {
            typed.value = { ...typed.value, [input.key]: value }
            changed()
          }}
        />
      ))}
      <TextField
        label={words.nameHere}
        about={entries.nameAbout}
        value={name}
        required
        autocomplete="off"
        onTyped={changed}
      />
      <WillRun candidate={candidate} planned={ready} />
      <Refused why={attempt.refused.value} />
      {trial.value === null ? null : <TrialView name={name.value} trial={trial.value} />}
      <footer class="row end entry-foot">
        {busy.value === null ? null : <Spinner label={DOING[busy.value]} />}
        {ready === null ? null : <Button disabled={isBusy} onClick={() => void tryIt()}>{entries.try}</Button>}
        <Button kind="primary" type="submit" disabled={isBusy}>{ready === null ? words.plan : words.add}</Button>
      </footer>
    </form>
  )
}

interface WillRunProps {
  readonly candidate: PublishedCandidate
  readonly planned: Installed | null
}

const WillRun = ({ candidate: { kind, runs, warnings }, planned }: WillRunProps) => (
  <section class="stack" aria-label={kind === "remote" ? words.address : words.runs}>
    <h2 class="section-heading">{kind === "remote" ? words.address : words.runs}</h2>
    <CodeBlock
      code={planned?.runs ?? runs ?? ""}
      isWrapped
      label={kind === "remote" ? words.address : words.runs}
    />
    {planned === null ? <p class="muted small">{words.withGaps}</p> : (
      <p class="muted small">
        {words.file(planned.file)} {planned.variables.length === 0 ? "" : words.variables(planned.variables.join(", "))}
      </p>
    )}
    {(planned?.warnings ?? warnings).map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}
    {planned === null ? null : (
      <Fold
        summary={words.entry}
        inside={() => (
          <CodeBlock
            code={JSON.stringify(planned.entry, null, 2)}
            language="json"
            label={words.entryOf(planned.name)}
          />
        )}
      />
    )}
  </section>
)
