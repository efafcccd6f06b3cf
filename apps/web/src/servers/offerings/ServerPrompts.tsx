/** The prompts of a server: what they ask for, and what the server makes of them. */
import { useSignal } from "@preact/signals"
import { usePrompt } from "../../api/Api.ts"
import type { FilledPrompt, Prompt } from "../../api/Types.ts"
import { draftOf } from "../../chat/composer/Draft.ts"
import { PromptForm } from "../../chat/composer/PromptForm.tsx"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { go } from "../../state/Route.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { LongCode } from "../../ui/code/LongCode.tsx"
import { Growing } from "../../ui/forms/Growing.tsx"

export const ServerPrompts = ({ prompts }: { readonly prompts: ReadonlyArray<Prompt> }) => (
  <Growing
    items={prompts}
    class="offer-list"
    label={texts.prompts}
    render={(prompt) => <OnePrompt key={prompt.name} prompt={prompt} />}
  />
)

/** Puts it after what is being written for a new chat already. */
const takeToChat = ({ said, text }: FilledPrompt) => {
  const draft = draftOf(null)
  draft.text.value = [draft.text.value, text].filter((part) => part !== "").join("\n\n")
  draft.prompt.value = said
  go("chat")
}

const OnePrompt = ({ prompt }: { readonly prompt: Prompt }) => {
  const { arguments: args, description, name, server, title } = prompt
  const isAsking = useSignal(false)
  const made = useSignal<FilledPrompt | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const fill = () =>
    run(async () => {
      made.value = await usePrompt(server, name, {})
    })
  const filled = made.value
  return (
    <li>
      <h2>{title ?? name}</h2>
      <p class="muted">
        {texts.inAChat} <code>/{server}:{name}</code>
      </p>
      {description === null ? null : <p class="words">{description}</p>}
      {args.length === 0 ? null : <Arguments prompt={prompt} />}
      <div class="row">
        <Button
          isSmall
          icon="play"
          aria-label={texts.tryOf(title ?? name)}
          disabled={isBusy.value}
          onClick={() => args.length === 0 ? void fill() : isAsking.value = true}
        >
          {texts.try}
        </Button>
        {filled === null ?
          null :
          (
            <Button
              isSmall
              icon="chat"
              aria-label={texts.useOf(title ?? name)}
              onClick={() => takeToChat(filled)}
            >
              {texts.useInAChat}
            </Button>
          )}
      </div>
      <Refused why={refused.value} />
      {filled === null ? null : <LongCode code={filled.text} isWrapped label={texts.madeBy(name)} />}
      {isAsking.value
        ? (
          <PromptForm
            prompt={prompt}
            action={texts.showIt}
            onClose={() => isAsking.value = false}
            onFilled={(filled) => {
              made.value = filled
              isAsking.value = false
            }}
          />
        )
        : null}
    </li>
  )
}

const Arguments = ({ prompt: { arguments: args, name } }: { readonly prompt: Prompt }) => (
  <ul class="arguments" aria-label={texts.argumentsOf(name)}>
    {args.map((argument) => (
      <li key={argument.name}>
        <code>{argument.name}</code>{" "}
        {argument.required ? <Badge tone="accent">{texts.required}</Badge> : <Badge>{texts.optional}</Badge>}{" "}
        {argument.description ?? ""}
      </li>
    ))}
  </ul>
)
