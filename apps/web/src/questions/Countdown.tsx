/** How long there is to answer. A screen reader hears of the last minute once, not of every second. */
import { useEffect, useState } from "preact/hooks"
import { left } from "../messages/Numbers.ts"
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { Icon } from "../ui/Icon.tsx"

const SOON = 60_000

export const Countdown = ({ until, what }: { readonly until: string; readonly what: string }) => {
  const end = Date.parse(until)
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  if (Number.isNaN(end)) return null
  const millis = Math.max(0, end - now)
  return (
    <span class={millis < SOON ? "countdown soon" : "countdown"}>
      <Icon name="clock" />
      <span role="timer" aria-label={texts.timeLeft(what)}>
        {millis === 0 ? texts.timeIsUp : texts.left(left(millis))}
      </span>
      <span class="visually-hidden" role="status">
        {millis > 0 && millis < SOON ? texts.lastMinute(what) : ""}
      </span>
    </span>
  )
}
