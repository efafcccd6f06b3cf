/** `mcp secret`: what a person gives for `${user:NAME}` in entries. Values go in and never come out. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Target } from "../options/Options.ts"
import { Usage } from "../terminal/Failure.ts"
import { beside } from "../terminal/Layout.ts"
import { local, oneLine } from "../terminal/Output.ts"
import * as SecretInput from "../terminal/SecretInput.ts"
import { asking, removing, target } from "./PeopleVerb.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The NAME of ${user:NAME} in an entry"))

const given = Effect.fnUntraced(function*(name: string) {
  const value = yield* SecretInput.read(`${oneLine(name)} (not shown) `)
  return value === "" ? yield* NOTHING : Redacted.make(value)
})

const NOTHING = new Usage({
  message: "standard input holds no value, so nothing was kept",
  hint: "pipe it in: boocode mcp secret set NAME < FILE"
})

const set = Command.make(
  "set",
  { name, ...target },
  ({ name, ...target }) =>
    asking(target, (people, { document, lines }, { json }) =>
      Effect.flatMap(
        Effect.flatMap(given(name), (value) => people.setSecret(name, value)),
        (kept) =>
          json ? document(kept) : lines([`${oneLine(name)} is kept, sealed; your servers that use it start with it`])
      ))
).pipe(
  Command.withDescription("Give a value that entries take from each person, from standard input"),
  Command.withExamples([{
    command: "boocode mcp secret set GITHUB_TOKEN < token.txt",
    description: "For ${user:GITHUB_TOKEN}"
  }])
)

const remove = removing(
  name,
  "Forget such a value, and end your servers that use it",
  (people, name) => people.removeSecret(name),
  "is forgotten; your servers that used it have ended"
)

const list = (target: Target) =>
  asking(
    target,
    (people, { columns, document, lines, paint }, { json }) =>
      Effect.flatMap(people.secrets, (secrets) => {
        if (json) return document({ secrets })
        if (secrets.length === 0) return lines(["you have given no values to entries"])
        const rows = secrets.map(({ name, updated }) => ({ name, about: `since ${local(updated, "short")}` }))
        return Effect.flatMap(columns, (width) => lines(beside(rows, width, { colour: paint.bold })))
      })
  )

const LIST = "Show which values you gave for ${user:NAME} in entries, without the values"

export const secret = Command.make("secret", target, list).pipe(
  Command.withDescription(LIST),
  Command.withSubcommands([Command.make("list", target, list).pipe(Command.withDescription(LIST)), set, remove])
)
