/** Rules as a list: what each is about, where it stands, and what is the matter with it. */
import type { Outcome, RuleDocument } from "../api/Types.ts"
import { whereWords } from "../chat/calls/WhereWords.ts"
import { moment } from "../messages/Numbers.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import { Badge } from "../ui/Badge.tsx"
import { Row } from "../ui/lists/Row.tsx"

/** With what is the matter with it, where that is known. */
type ShownRule = RuleDocument & { readonly problem?: string | null }

/** A refusal is no failure: only what waits for a person has a colour. */
export const OutcomeBadge = ({ outcome }: { readonly outcome: Outcome }) =>
  outcome === "ask" ? <Badge tone="warn">{words.outcomes.ask}</Badge> : <Badge>{words.outcomes[outcome]}</Badge>

/** The restrictions of a rule, such as `class writes · where path is notes/*`. */
const narrowing = ({ agent, class: classes, server, until, where }: ShownRule): string =>
  [
    ...(classes === null ? [] : [words.ofClass(classes.join(", "))]),
    ...(server === null ? [] : [words.ofServer(server.join(", "))]),
    ...(agent === null ? [] : [words.forAgent(agent.join(", "))]),
    ...(Object.keys(where).length === 0 ? [] : [words.where(whereWords(where))]),
    ...(until === null
      ? []
      : [Date.parse(until) <= Date.now() ? words.ended(moment(until)) : words.until(moment(until))])
  ].join(" · ")

interface RuleListProps {
  readonly label: string
  readonly rules: ReadonlyArray<ShownRule>
}

export const RuleList = ({ label, rules }: RuleListProps) => (
  <ul class="items rules" aria-label={label}>
    {rules.map((rule, index) => {
      const patterns = rule.patterns.join(", ")
      const narrowed = narrowing(rule)
      return (
        <Row
          key={`${index} ${rule.source}`}
          label={words.rule(words.outcomes[rule.outcome], patterns)}
          icon={<OutcomeBadge outcome={rule.outcome} />}
          title={<code>{patterns}</code>}
          meta={rule.source}
        >
          {narrowed === "" ? null : <p>{narrowed}</p>}
          {rule.note === null ? null : <p class="item-about">{rule.note}</p>}
          {rule.problem === undefined || rule.problem === null ? null : <p class="item-about warn">{rule.problem}</p>}
        </Row>
      )
    })}
  </ul>
)
