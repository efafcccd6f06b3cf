/** The language of the page. A choice loads the page anew, for every word is another one; drafts are kept. */
import { choose, chosen, LANGUAGES } from "../language/Language.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { LabelledField } from "../ui/forms/LabelledField.tsx"

export const LanguageChoice = () => (
  <LabelledField label={texts.language}>
    {(props) => (
      <select
        {...props}
        value={chosen ?? ""}
        onChange={({ currentTarget: { value } }) => choose(LANGUAGES.find(([id]) => id === value)?.[0])}
      >
        <option value="">{texts.languageOfBrowser}</option>
        {LANGUAGES.map(([id, name]) => <option key={id} value={id} lang={id}>{name}</option>)}
      </select>
    )}
  </LabelledField>
)
