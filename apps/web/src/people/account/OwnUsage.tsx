/** A person's use of models this month, beside their limits. */
import { dollars, short } from "../../messages/Numbers.ts"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import { address } from "../../state/Route.ts"
import { limitWords } from "./LimitWords.ts"
import "../people.css"
import type { OwnUsageReport } from "../PeopleClient.ts"

export const OwnUsage = ({ report: { limits, month, turns } }: { readonly report: OwnUsageReport }) => (
  <section class="people-part" aria-label={words.usage}>
    <h2 class="section-heading">{words.usage}</h2>
    <p>
      {words.usedUp(dollars(month.cost), short(month.inputTokens + month.outputTokens), words.requests(month.requests))}
    </p>
    {limits.map((one) => (
      <label key={one.of} class="people-limit">
        <span>{limitWords(one)}</span>
        <meter min={0} max={one.most} high={one.most * 0.8} value={one.used} />
      </label>
    ))}
    {turns === null ? null : <p class="muted">{words.atOnce(turns)}</p>}
    <p>
      <a href={address("settings", "usage")}>{words.byDays}</a>
    </p>
  </section>
)
