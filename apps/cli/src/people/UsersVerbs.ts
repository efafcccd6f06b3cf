/** `users`: the people of this server, here or of a running one. Without any, one person has it all and nobody signs in. */
import type { Invitation, KnownUser } from "@boocode/chat-server/api/users/UsersApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { optional, type Options, type Target, textFlag } from "../options/Options.ts"
import { beside } from "../terminal/Layout.ts"
import { local, oneLine, type Output, type Paint } from "../terminal/Output.ts"
import { asking, removing, target } from "./PeopleVerb.ts"

const name = Argument.String("NAME").pipe(Argument.withDescription("The person's name"))

const role = Flag.Literals("role", ["admin", "member"]).pipe(
  Flag.withDescription("What they may change: an admin all, a member their own; the first person is an admin"),
  optional
)

const groups = textFlag("groups", "NAMES", "The groups that they are in, with commas between").pipe(optional)

const named = (text: string | null): ReadonlyArray<string> | undefined =>
  text?.split(",").map((group) => group.trim()).filter((group) => group !== "")

const invited = (
  { link, until, user }: typeof Invitation.Type,
  { document, lines, notePaint, notes }: Output["Service"],
  { json }: Options
) =>
  json ? document({ user, link, until }) : Effect.andThen(
    lines([link]),
    notes([
      `${oneLine(user.name)} (${user.role}) comes in by this link, once, until ${local(until)}.`,
      notePaint.dim("It is shown this once.")
    ])
  )

const add = Command.make(
  "add",
  { name, role, groups, ...target },
  ({ groups, name, role, ...target }) =>
    asking(target, (people, output, options) =>
      Effect.flatMap(
        people.add({ name, role: role ?? "member", groups: named(groups) ?? [] }),
        (made) => invited(made, output, options)
      ))
).pipe(
  Command.withDescription(
    "Add a person, and print the link with which they come in; with the first one sign-in begins"
  ),
  Command.withExamples([{ command: "boocode users add Ann", description: "The first person is an admin" }])
)

const invite = Command.make(
  "invite",
  { name, ...target },
  ({ name, ...target }) =>
    asking(
      target,
      (people, output, options) => Effect.flatMap(people.invite(name), (made) => invited(made, output, options))
    )
).pipe(
  Command.withDescription("Print a new link for a person, who can set a new password with it")
)

const remove = removing(
  name,
  "Remove a person, their sessions and their tokens",
  (people, name) => people.remove(name),
  "cannot sign in any more"
)

const change = Command.make(
  "role",
  {
    name,
    role: Argument.Literals("ROLE", ["admin", "member"]).pipe(Argument.withDescription("admin or member")),
    groups,
    ...target
  },
  ({ groups, name, role, ...target }) =>
    asking(target, (people, { document, lines }, { json }) => {
      const given = named(groups)
      return Effect.flatMap(
        people.change(name, { role, ...given === undefined ? {} : { groups: given } }),
        (user) => json ? document(user) : lines([`${oneLine(user.name)}  ${about(user)}`])
      )
    })
).pipe(Command.withDescription("Make a person an admin or a member"))

const list = (target: Target) =>
  asking(
    target,
    (people, { columns, document, lines, paint }, { json }) =>
      Effect.flatMap(people.list, (users) =>
        json ? document({ users }) : Effect.flatMap(columns, (width) => lines(userLines(users, paint, width))))
  )

const LIST = "Show the people of this server"

const lister = Command.make("list", target, list).pipe(Command.withDescription(LIST))

export const users = Command.make("users", target, list).pipe(
  Command.withDescription("Show the people of this server, add, invite and remove them"),
  Command.withSubcommands([lister, add, invite, remove, change])
)

const userLines = (
  users: ReadonlyArray<typeof KnownUser.Type>,
  paint: Paint,
  columns: number
): ReadonlyArray<string> =>
  users.length === 0
    ? ["nobody signs in here: this server is one person's", paint.dim("  boocode users add NAME adds the first one")]
    : beside(users.map((user) => ({ name: oneLine(user.name, 64), about: knownAbout(user) })), columns, {
      colour: paint.bold
    })

const about = ({ groups, role }: Pick<typeof KnownUser.Type, "groups" | "role">): string =>
  [`${role}`, ...groups.map((group) => oneLine(group, 40))].join(", ")

const knownAbout = (user: typeof KnownUser.Type): string =>
  [
    about(user),
    ...user.invitedUntil === null ? [] : [`invited until ${local(user.invitedUntil, "short")}`],
    ...user.lastSeen === null ? ["not signed in"] : [`last seen ${local(user.lastSeen, "short")}`]
  ].join(", ")
