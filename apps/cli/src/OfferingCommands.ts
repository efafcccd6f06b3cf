/** The verbs about prompts and resources, and their flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { verb } from "./Root.ts"
import * as Target from "./Target.ts"

const load = () => import("./McpOfferings.ts")

const onlyOf = (what: string) =>
  Argument.String("SERVER").pipe(
    Argument.withDescription(`Only the ${what} of this server, which is waited for`),
    Argument.optional
  )
const server = Argument.String("SERVER").pipe(Argument.withDescription("The server"))

const prompts = Command.make(
  "prompts",
  { server: onlyOf("prompts"), ...Target.flags },
  ({ server, ...given }) =>
    verb(load, (module, options) => module.prompts(options, Target.target(given), Option.getOrNull(server)))
).pipe(Command.withDescription("Show the prompts that the servers offer"))

const prompt = Command.make(
  "prompt",
  {
    server,
    name: Argument.String("NAME").pipe(Argument.withDescription("The prompt")),
    args: Flag.String("args").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("The arguments as a JSON object, or - to read it from standard input"),
      Flag.optional
    ),
    ...Target.flags
  },
  ({ args, name, server, ...given }) =>
    verb(
      load,
      (module, options) =>
        module.prompt(options, Target.target(given), { server, prompt: name, args: Option.getOrNull(args) })
    )
).pipe(Command.withDescription("Have a server fill in a prompt and print its text"))

const resources = Command.make(
  "resources",
  { server: onlyOf("resources"), ...Target.flags },
  ({ server, ...given }) =>
    verb(load, (module, options) => module.resources(options, Target.target(given), Option.getOrNull(server)))
).pipe(Command.withDescription("Show the resources that the servers offer, and the templates of their URIs"))

const read = Command.make(
  "read",
  {
    server,
    uri: Argument.String("URI").pipe(Argument.withDescription("The resource")),
    watch: Flag.Boolean("watch").pipe(
      Flag.withAlias("w"),
      Flag.withDescription("Print it again each time that it changes, until Ctrl-C"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    ...Target.flags
  },
  ({ server, uri, watch, ...given }) =>
    watch
      ? verb(
        () => import("./McpWatch.ts"),
        (module, options) => module.watch(options, Target.target(given), server, uri)
      )
      : verb(load, (module, options) => module.read(options, Target.target(given), server, uri))
).pipe(Command.withDescription("Read a resource and print its text"))

export const offerings = [prompts, prompt, resources, read] as const
