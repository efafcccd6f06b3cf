/** The people that something is for: a word for each, chosen from the people and groups there are, or typed. No word is everyone. */
import { forms as words } from "../messages/FormsMessages.ts"
import { suggestions, useKnownPeople } from "../state/people/KnownPeople.ts"
import { Button } from "../ui/Button.tsx"
import { type Pickable, PickerButton } from "../ui/lists/Picker.tsx"
import "./audience.css"

interface AudienceProps {
  readonly value: ReadonlyArray<string>
  readonly wrong: string | null
  /** Where it cannot be changed. */
  readonly isFixed?: boolean
  readonly onChange: (value: ReadonlyArray<string>) => void
}

const pickable = (who: string): Pickable => ({
  key: who,
  text: who,
  group: who === "admins" || who.startsWith("group:") ? words.groups : words.people
})

export const AudienceField = ({ isFixed = false, onChange, value, wrong }: AudienceProps) => {
  const known = suggestions(useKnownPeople())
  return (
    <div class="field">
      <span class="label">{words.audience}</span>
      <span class="about">{value.length === 0 ? words.forEveryone : words.forThese}</span>
      <div class="audience" role="group" aria-label={words.audience}>
        {value.map((who) => (
          <span key={who} class="badge">
            {who}
            {isFixed ? null : (
              <Button
                kind="plain"
                isSmall
                icon="close"
                label={words.notFor(who)}
                onClick={() => onChange(value.filter((other) => other !== who))}
              />
            )}
          </span>
        ))}
        {isFixed ? null : (
          <PickerButton
            label={words.audience}
            placeholder={words.audienceHint}
            value={words.addWho}
            options={known.filter((who) => !value.includes(who)).map(pickable)}
            others={(word) =>
              word === "" || known.includes(word) || value.includes(word)
                ? []
                : [{ key: word, text: words.useWho(word), group: words.another }]}
            onChoose={({ key }) => onChange([...value, key])}
          />
        )}
      </div>
      {wrong === null ? null : <span class="wrong" role="alert">{wrong}</span>}
    </div>
  )
}
