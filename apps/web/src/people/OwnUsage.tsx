/** A person's use of models this month, beside their limits. */
import { date, dollars, short } from "../messages/Numbers.ts"
import { people as words } from "../messages/people/PeopleMessages.ts"
import "./people.css"
import type { OwnUsageReport } from "./PeopleClient.ts"

export const OwnUsage = ({ report: { limits, month, turns } }: { readonly report: OwnUsageReport }) => (
  <section class="people-part" aria-label={words.usage}>
    <h2 class="section-heading">{words.usage}</h2>
    <p>{words.usedUp(dollars(month.cost), short(month.inputTokens + month.outputTokens), month.requests)}</p>
    {limits.map(({ limit, most, of, resets, used }) => (
      <label key={of} class="people-limit">
        <span>
          {words.ofLimit(
            of === "money" ? dollars(used) : short(used),
            limit,
            date(resets)
          )}
        </span>
        <meter min={0} max={most} high={most * 0.8} value={used} />
      </label>
    ))}
    {turns === null ? null : <p class="muted">{words.atOnce(turns)}</p>}
  </section>
)
