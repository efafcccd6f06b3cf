/** The route `#/settings/audit`: who called what. Admins see the calls of everybody, others their own. */
import type { AuditedCall } from "@boocode/chat-server/api/users/AuditApi"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get, query } from "../api/Client.ts"
import { instant } from "../messages/Numbers.ts"
import { people as words } from "../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Panel } from "../state/Panel.tsx"
import { isAdmin } from "../state/people/Me.ts"
import { Button } from "../ui/Button.tsx"
import type { PanelProps } from "../ui/Lazy.tsx"
import "../ui/panels.css"
import { Spinner } from "../ui/Spinner.tsx"
import "./people.css"

type Call = typeof AuditedCall.Encoded

interface Page {
  readonly calls: ReadonlyArray<Call>
  readonly next: number | null
}

const NOTHING = { user: "", tool: "", outcome: "" }

export const AuditPanel = (_: PanelProps) => {
  const found = useSignal<Page | null>(null)
  const filters = useSignal(NOTHING)
  const { isBusy, refused, run } = useAttempt()
  const read = (before: number | null) =>
    run(async () => {
      const page = await get<Page>(query("audit", { ...filters.value, before }))
      found.value = { ...page, calls: [...before === null ? [] : found.value?.calls ?? [], ...page.calls] }
    })
  useEffect(() => void read(null), [])
  const { value } = found
  const exported = (format: string) => `/api/${query("audit/export", { ...filters.value, format })}`
  return (
    <Panel title={words.audit} isOfSettings>
      <p>{words.auditAbout}</p>
      <form
        class="row people-filters"
        onSubmit={(event) => {
          event.preventDefault()
          void read(null)
        }}
      >
        {(isAdmin.value ? ["user", "tool"] as const : ["tool"] as const).map((key) => (
          <input
            key={key}
            class="input"
            aria-label={words.filters[key]}
            placeholder={words.filters[key]}
            value={filters.value[key]}
            onInput={(event) => filters.value = { ...filters.value, [key]: event.currentTarget.value }}
          />
        ))}
        <select
          class="input"
          aria-label={words.filters.outcome}
          value={filters.value.outcome}
          onChange={(event) => {
            filters.value = { ...filters.value, outcome: event.currentTarget.value }
            void read(null)
          }}
        >
          <option value="">{words.anyOutcome}</option>
          {Object.entries(words.outcomes).map(([outcome, text]) => <option key={outcome} value={outcome}>{text}
          </option>)}
        </select>
        <Button isSmall type="submit">{words.show}</Button>
      </form>
      <Refused why={refused.value} />
      {value === null && refused.value === null ? <Spinner label={words.reading} /> : null}
      {value === null ? null : value.calls.length === 0 ?
        <p class="muted">{Object.values(filters.value).join("") === "" ? words.noCalls : words.noneFits}</p> :
        (
          <>
            <ul class="items people-calls">{value.calls.map((call) => <CallLine key={call.id} call={call} />)}</ul>
            <p class="row">
              {value.next === null
                ? null
                : <Button isSmall disabled={isBusy.value} onClick={() => void read(value.next)}>{words.older}</Button>}
              <a href={exported("csv")} download="audit.csv">{words.asCsv}</a>
              <a href={exported("jsonl")} download="audit.jsonl">{words.asJsonl}</a>
            </p>
          </>
        )}
    </Panel>
  )
}

const isOutcome = (text: string): text is keyof typeof words.outcomes => Object.hasOwn(words.outcomes, text)
const isAllower = (text: string): text is keyof typeof words.allowedBy => Object.hasOwn(words.allowedBy, text)
const isOrigin = (text: string): text is keyof typeof words.origins => Object.hasOwn(words.origins, text)

const CallLine = ({ call: { allowedBy, at, origin, outcome, place, source, tool, user } }: { readonly call: Call }) => (
  <li class="people-call">
    <span>
      <strong>{tool}</strong>{" "}
      <span class={outcome === "failed" ? "people-failed" : ""}>
        {isOutcome(outcome) ? words.outcomes[outcome] : outcome}
      </span>
    </span>
    <span class="muted">
      {[
        ...user === null ? [] : [user],
        instant(at),
        isOrigin(origin) ? words.origins[origin] : origin,
        ...origin === "client" && place !== null ? [place] : [],
        ...isAllower(allowedBy) ? [[words.allowedBy[allowedBy], source].filter((one) => one !== "").join(", ")] : []
      ].join(" · ")}
    </span>
  </li>
)
