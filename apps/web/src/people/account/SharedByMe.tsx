/** The chats that a person shows to others, each with a button that takes it back. */
import { day } from "../../messages/Numbers.ts"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { address } from "../../state/Route.ts"
import { Button } from "../../ui/Button.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { Row } from "../../ui/lists/Row.tsx"
import { type OwnShare, takeBack } from "../PeopleClient.ts"

interface SharedProps {
  readonly shares: ReadonlyArray<OwnShare>
  readonly onChanged: () => void
}

export const SharedByMe = ({ onChanged, shares }: SharedProps) => {
  const { isBusy, refused, run } = useAttempt()
  return shares.length === 0 ? null : (
    <section class="people-part" aria-label={words.shared}>
      <h2 class="section-heading">{words.shared}</h2>
      <ul class="items">
        {shares.map(({ chat, created, id, title }) => (
          <Row
            key={id}
            label={title}
            icon={<Letter name={title} />}
            title={<a href={address("shared", id)}>{title}</a>}
            meta={day(created)}
            action={
              <Button
                isSmall
                aria-label={words.takeBackOf(title)}
                disabled={isBusy.value}
                onClick={() => void run(() => takeBack(chat).then(onChanged))}
              >
                {words.takeBack}
              </Button>
            }
          />
        ))}
      </ul>
      <Refused why={refused.value} />
    </section>
  )
}
