/** The one click that offers the writing tools of a server, each call with a person's yes, and the one that takes it back. */
import type { ServerStatus } from "../api/Types.ts"
import { servers as words } from "../messages/ServersMessages.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { setWrites } from "./ServersClient.ts"
import { mayBeOfProject } from "./StateWords.ts"

export const WritersSwitch = ({ status }: { readonly status: ServerStatus }) => {
  const attempt = useAttempt()
  const { classes, name, offer, writes } = status
  const many = classes.writes + classes.destroys
  const isOffered = writes === "ask"
  if (many === 0) return null
  // The file of a project belongs to others too; only a file of one's own can offer them.
  if (mayBeOfProject(status)) return offer === null ? null : <p class="muted">{offer}</p>
  const text = isOffered ? words.keepOff : words.offer(many)
  const press = () => attempt.isBusy.value || void attempt.run(() => setWrites(name, isOffered ? "off" : "ask"))
  return (
    <>
      {isOffered ? <span>{words.writesAskFirst(many)}</span> : null}{" "}
      <Button
        isSmall
        aria-label={words.of(text, name)}
        aria-disabled={attempt.isBusy.value}
        onClick={press}
      >
        {attempt.isBusy.value ? <Spinner label={isOffered ? words.keepingOff : words.offering} /> : null}
        {text}
      </Button>
      <Refused why={attempt.refused.value} />
    </>
  )
}
