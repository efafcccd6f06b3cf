/** `backup` and `restore`: everything that is kept, as one file. */
import type { Found } from "@boocode/chat-server/Restore"
import { Environment } from "@boocode/mcp-config"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { Backend } from "../backend/Backend.ts"
import { place } from "../backend/VerbContext.ts"
import { currentFolder, type DataLocation } from "../options/DataLocation.ts"
import { type Options, switchFlag, verb } from "../options/Options.ts"
import { Failed, Usage } from "../terminal/Failure.ts"
import { Keyboard } from "../terminal/Keyboard.ts"
import { counted, Output, plain } from "../terminal/Output.ts"

const VARIABLE = "BOOCODE_BACKUP_PASSPHRASE"
const SHORTEST = 8

const file = (description: string) => Argument.String("FILE").pipe(Argument.withDescription(description))

const absolute = (name: string) =>
  Effect.gen(function*() {
    return (yield* Path.Path).resolve(yield* currentFolder, name)
  })

export const backup = Command.make(
  "backup",
  {
    file: file("The new file, such as boocode.tar.gz"),
    hasWorkspace: switchFlag("workspace", "With the files of the workspace"),
    hasCredentials: switchFlag(
      "credentials",
      `With .env, tokens and keys, encrypted with a passphrase: asked for, or ${VARIABLE}`
    )
  },
  ({ file, hasCredentials, hasWorkspace }) =>
    verb(Effect.fnUntraced(function*(options) {
      const passphrase = hasCredentials ? yield* newPassphrase : null
      const target = yield* absolute(file)
      const where = yield* place(options)
      const done = yield* Backend.use((backend) => backend.backup(where, { file: target, hasWorkspace, passphrase }))
      const { document, lines, notePaint, notes, paint } = yield* Output
      if (options.json) return yield* document({ ...done })
      yield* lines([
        `${paint.good("written")}  ${plain(done.file)}: ${counted(done.files, "file")}, ${done.bytes} bytes`,
        `         ${paint.dim(`with ${done.kinds.join(", ")}`)}`
      ])
      yield* notes(done.skipped.map((path) =>
        `${notePaint.careful("skipped")}  ${
          plain(path)
        }: a link, a folder that cannot be read, or a name that not every system can have`
      ))
    }))
).pipe(Command.withDescription("Write chats, configuration, agents, permissions and pins into one file"))

export const restore = Command.make(
  "restore",
  {
    file: file("What boocode backup wrote"),
    isSure: switchFlag("yes", "Do not ask before anything is replaced"),
    isWithout: switchFlag("without-credentials", "Leave out the credentials of the backup")
  },
  ({ file, isSure, isWithout }) =>
    verb(Effect.fnUntraced(function*(options) {
      const archive = yield* absolute(file)
      const where = yield* place(options)
      yield* unlessRunning(where)
      const context = yield* Effect.context<Keyboard | Output | Environment>()
      const { inputIsTerminal } = yield* Output
      const isAnswered = isSure || inputIsTerminal
      const restored = yield* Backend.use((backend) =>
        backend.restore(where, {
          archive,
          passphrase: isWithout ? Effect.succeed(null) : Effect.provideContext(passphrase, context),
          confirm: (found) =>
            isSure || !isAnswered ? Effect.succeed(isSure) : Effect.provideContext(confirmed(found), context)
        })
      )
      // Not before the file was looked at: what is wrong with it is the first thing to know.
      if (!isAnswered) return yield* nobody(file)
      yield* told(options, restored)
    }))
).pipe(Command.withDescription("Bring back what boocode backup wrote; what it replaces is kept"))

const nobody = (file: string) =>
  new Usage({
    message: "nobody is there to say yes to what restore replaces",
    hint: `add --yes: boocode restore ${file} --yes`
  })

const unlessRunning = Effect.fnUntraced(function*(where: DataLocation) {
  const url = yield* Backend.use(({ running }) => running(where))
  if (url === null) return
  return yield* new Failed({
    tag: "RestoreRefused",
    message: `a server runs on this data folder at ${url}`,
    hint: "end it with Ctrl-C or your service manager, then run boocode restore again"
  })
})

const told = Effect.fnUntraced(
  function*(options: Options, restored: (Found & { readonly kept: ReadonlyArray<string> }) | null) {
    const { document, lines, paint } = yield* Output
    if (options.json) return yield* document({ restored: restored === null ? null : { ...restored } })
    if (restored === null) return yield* lines(["nothing was changed"])
    yield* lines([
      `${paint.good("restored")}  ${restored.kinds.join(", ")}, as of ${restored.createdAt}, into ${
        plain(restored.folder)
      }`,
      ...restored.kept.map((folder) => `          ${paint.dim(`what was there before: ${plain(folder)}`)}`)
    ])
  }
)

const confirmed = Effect.fnUntraced(function*({ createdAt, files, folder, kinds }: Found) {
  yield* Output.use(({ notePaint, notes }) =>
    notes([
      `${counted(files, "file")} of ${createdAt}: ${kinds.join(", ")}`,
      `They take the place of those of ${plain(folder)} and its state folder, which are kept beside.`,
      notePaint.careful("Its servers and hooks are programs that will start here: restore only a backup of your own.")
    ])
  )
  const line = yield* Keyboard.use((keyboard) => keyboard.line("restore it? [y/N] "))
  return /^y(es)?$/i.test(line?.trim() ?? "")
})

const given = Effect.map(Environment, ({ variables }) => {
  const text = variables[VARIABLE] ?? ""
  return text === "" ? null : Redacted.make(text)
})

/** Null leaves the credentials out. */
const passphrase = Effect.gen(function*() {
  const known = yield* given
  if (known !== null || !(yield* Output).inputIsTerminal) return known
  const line = yield* Keyboard.use((keyboard) =>
    keyboard.secret("passphrase of the credentials (not shown; Enter leaves them out) ")
  )
  return line === null || line === "" ? null : Redacted.make(line)
})

const newPassphrase = Effect.gen(function*() {
  const known = yield* given
  const { inputIsTerminal } = yield* Output
  if (known === null && !inputIsTerminal) return yield* wrongPassphrase("there is no passphrase for the credentials")
  const { secret } = yield* Keyboard
  const first = known === null ? yield* secret("passphrase (not shown) ") : Redacted.value(known)
  if ((first ?? "").length < SHORTEST) {
    return yield* wrongPassphrase(`the passphrase has fewer than ${SHORTEST} characters`)
  }
  if (known === null && (yield* secret("once more ")) !== first) {
    return yield* wrongPassphrase("the two are not the same")
  }
  return Redacted.make(first ?? "")
})

const wrongPassphrase = (message: string) =>
  Effect.fail(
    new Usage({ message, hint: `type it twice at a terminal, or set ${VARIABLE}: boocode backup FILE --credentials` })
  )
