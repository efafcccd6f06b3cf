/** The prompts of a server, with what they ask for. */
import type { Prompt } from "../api/Types.ts"
import { Badge } from "../ui/Badge.tsx"

export const ServerPrompts = ({ prompts }: { readonly prompts: ReadonlyArray<Prompt> }) => (
  <ul class="offer-list" aria-label="Prompts">
    {prompts.map(({ arguments: args, description, name, server, title }) => (
      <li key={name}>
        <h2>{title ?? name}</h2>
        <p class="muted">
          In a chat: <code>/{server}:{name}</code>
        </p>
        {description === null ? null : <p class="words">{description}</p>}
        {args.length === 0 ? null : (
          <ul class="arguments" aria-label={`Arguments of ${name}`}>
            {args.map((argument) => (
              <li key={argument.name}>
                <code>{argument.name}</code>{" "}
                {argument.required ? <Badge tone="accent">required</Badge> : <Badge>optional</Badge>}{" "}
                {argument.description ?? ""}
              </li>
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
)
