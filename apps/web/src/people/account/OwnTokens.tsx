/** A person's tokens: which there are, making one, and taking one back. */
import { useSignal } from "@preact/signals"
import { day } from "../../messages/Numbers.ts"
import { people as words } from "../../messages/people/PeopleMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { focus } from "../../ui/Focus.ts"
import { ShownSecret } from "../../ui/forms/ShownSecret.tsx"
import { TextField } from "../../ui/forms/TextField.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { Row } from "../../ui/lists/Row.tsx"
import { addToken, removeToken, type Scope, type Token } from "../PeopleClient.ts"

interface OwnTokensProps {
  readonly tokens: ReadonlyArray<Token>
  readonly isAdmin: boolean
  readonly onChanged: () => void
}

export const OwnTokens = ({ isAdmin, onChanged, tokens }: OwnTokensProps) => {
  const isOpen = useSignal(false)
  const made = useSignal<{ readonly name: string; readonly token: string } | null>(null)
  return (
    <section class="people-part" aria-label={words.tokens}>
      <h2 class="section-heading">{words.tokens}</h2>
      <p class="muted">{words.tokensAbout}</p>
      {tokens.length === 0
        ? <p class="muted">{words.noTokens}</p>
        : <ul class="items">{tokens.map((one) => <TokenRow key={one.id} token={one} onChanged={onChanged} />)}</ul>}
      <p>
        <Button icon="plus" onClick={() => isOpen.value = true}>{words.addToken}</Button>
      </p>
      {isOpen.value
        ? (
          <AddDialog
            scopes={isAdmin ? ["chat", "gateway", "admin"] : ["chat", "gateway"]}
            onClose={() => isOpen.value = false}
            onAdded={(one) => {
              isOpen.value = false
              made.value = one
              onChanged()
            }}
          />
        )
        : null}
      {made.value === null ? null : (
        <ShownSecret
          title={words.tokenTitle(made.value.name)}
          about={words.tokenAbout}
          copy={words.copyToken}
          text={made.value.token}
          onClose={() => made.value = null}
        />
      )}
    </section>
  )
}

const TokenRow = ({ onChanged, token: { id, lastUsed, name, scopes } }: {
  readonly token: Token
  readonly onChanged: () => void
}) => {
  const { isBusy, refused, run } = useAttempt()
  const used = lastUsed === null ? words.unused : words.used(day(lastUsed))
  return (
    <Row
      label={name}
      icon={<Letter name={name} />}
      title={name}
      meta={[...scopes.map((scope) => words.scopes[scope]), used].join(" · ")}
      action={
        <Button
          isSmall
          aria-label={words.removeOf(name)}
          disabled={isBusy.value}
          onClick={() => void run(() => removeToken(id).then(onChanged))}
        >
          {words.remove}
        </Button>
      }
    >
      <Refused why={refused.value} />
    </Row>
  )
}

interface AddDialogProps {
  readonly scopes: ReadonlyArray<Scope>
  readonly onClose: () => void
  readonly onAdded: (made: { readonly name: string; readonly token: string }) => void
}

const AddDialog = ({ onAdded, onClose, scopes }: AddDialogProps) => {
  const name = useSignal("")
  const chosen = useSignal<ReadonlyArray<Scope>>(["chat"])
  const { isBusy, refused, run } = useAttempt()
  const turn = (scope: Scope) => {
    const { value } = chosen
    chosen.value = value.includes(scope) ? value.filter((one) => one !== scope) : [...value, scope]
  }
  return (
    <Dialog title={words.addToken} onClose={onClose}>
      <form
        class="stack"
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          void run(async () => onAdded(await addToken(name.value.trim(), chosen.value)))
        }}
      >
        <TextField
          label={words.tokenName}
          about={words.tokenNameAbout}
          value={name}
          inputRef={focus}
          required
          maxLength={64}
        />
        <fieldset class="people-scopes">
          <legend class="label">{words.tokenFor}</legend>
          {scopes.map((scope) => (
            <label key={scope} class="people-scope">
              <input type="checkbox" checked={chosen.value.includes(scope)} onChange={() => turn(scope)} />
              {words.scopes[scope]}
            </label>
          ))}
        </fieldset>
        <Refused why={refused.value} />
        <div class="row">
          <Button type="submit" kind="primary" disabled={isBusy.value || chosen.value.length === 0}>
            {words.addToken}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
