/** The verbs about an MCP registry: `mcp discover`, `mcp install`, `mcp outdated` and `mcp upgrade`. */
import type { EntryTrial } from "@boocode/chat-server/EntryTrial"
import type { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Backend } from "../backend/Backend.ts"
import { place } from "../backend/VerbContext.ts"
import { optional, type Options, scopeToWrite, serverName, switchFlag, textFlag, verb } from "../options/Options.ts"
import { oneLine } from "../terminal/Output.ts"

const registry = textFlag(
  "registry",
  "URL|file:DIR",
  "The MCP registry, or a folder of recorded answers; by default that of settings.json"
).pipe(
  Flag.filterMap(
    (text) => /^(?:https?:\/\/\S+|file:.+)$/.test(text) ? Option.some(text) : Option.none(),
    () => "an address such as https://registry.example, or file:DIR"
  ),
  optional
)

const version = optional(textFlag("version", "VERSION", "This exact version; by default the latest"))

const set = Flag.atLeast(
  textFlag("set", "KEY=VALUE", "A value that the server needs; on a terminal the others are asked for"),
  0
)

const isSure = switchFlag("yes", "Ask nothing that is not needed")
const isDryRun = switchFlag("dry-run", "Show what would be written; start and write nothing")
const isUntested = switchFlag("untested", "Do not start the server before it is written")

/** Loaded late: these verbs bring the readers of published servers. */
const installing = Effect.promise(() => import("./Installing.ts"))
const comparing = Effect.promise(() => import("./Outdated.ts"))
const upgrading = Effect.promise(() => import("./Upgrading.ts"))

const withRegistry = <A, E, R>(
  options: Options,
  given: string | null,
  use: Effect.Effect<A, E, R | PublicRegistry | EntryTrial>
) =>
  Effect.gen(function*() {
    const backend = yield* Backend
    return yield* Effect.provide(use, backend.published(yield* place(options), given))
  })

export const discover = Command.make(
  "discover",
  {
    words: Argument.String("WORDS").pipe(
      Argument.withDescription("What a server is about, or a part of its name"),
      Argument.variadic()
    ),
    registry
  },
  ({ registry, words }) =>
    verb((options) =>
      withRegistry(options, registry, Effect.flatMap(installing, (module) => module.discover(options, words.join(" "))))
    )
).pipe(
  Command.withDescription("Look for servers in an MCP registry"),
  Command.withExamples([{ command: "boocode mcp discover weather", description: "Servers about the weather" }])
)

export const install = Command.make(
  "install",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription("The published server: io.github.user/weather")
    ),
    version,
    isRemote: switchFlag("remote", "Use its address rather than a program"),
    kind: Flag.Literals("package", ["npm", "pypi", "oci", "nuget"]).pipe(
      Flag.withDescription("Use its package of this kind"),
      optional
    ),
    set,
    as: optional(textFlag("as", "NAME", "The name of the server here; by default one is made of its own")),
    scope: scopeToWrite,
    registry,
    ...{ isDryRun, isSure, isUntested }
  },
  ({ registry, ...given }) =>
    verb((options) =>
      withRegistry(
        options,
        registry,
        Effect.flatMap(
          installing,
          (module) => module.install(options, { ...given, command: `boocode mcp install ${oneLine(given.name)}` })
        )
      )
    )
).pipe(
  Command.withDescription("Install a server from an MCP registry: it is shown, tried and written with its version"),
  Command.withExamples([
    { command: "boocode mcp install io.github.user/weather", description: "Asks for what the server needs" },
    {
      command: "boocode mcp install io.github.user/weather --package npm --set API_KEY='${API_KEY}' --yes",
      description: "For a script"
    },
    { command: "boocode mcp install io.github.user/weather --dry-run", description: "What would run" }
  ])
)

export const outdated = Command.make(
  "outdated",
  { registry },
  ({ registry }) =>
    verb((options) => withRegistry(options, registry, Effect.flatMap(comparing, (module) => module.outdated(options))))
).pipe(
  Command.withDescription(
    "List installed servers of which there is another version: exit 0 for none, 1 for some, 2 when the registry cannot tell"
  )
)

export const upgrade = Command.make(
  "upgrade",
  { name: serverName, version, set, registry, isDryRun, isSure, isUntested },
  ({ registry, ...given }) =>
    verb((options) =>
      withRegistry(
        options,
        registry,
        Effect.flatMap(
          upgrading,
          (module) => module.upgrade(options, { ...given, command: `boocode mcp upgrade ${oneLine(given.name)}` })
        )
      )
    )
).pipe(
  Command.withDescription("Change an installed server to another version, after the differences are shown")
)
