/** How a command is started on Windows, where `npx` is a batch file that only `cmd.exe` can run. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"

/** A program with its arguments, or one line for `cmd.exe`. */
export type WindowsCommand =
  | { readonly _tag: "Program"; readonly file: string }
  | { readonly _tag: "Batch"; readonly line: string }

export interface Lookup {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** Folders, in order. */
  readonly searched: ReadonlyArray<string>
  /** The value of `PATHEXT`. */
  readonly extensions: string | undefined
}

/**
 * Finds the file of a command, with the extensions that Windows tries, and says how to start it. A command that is not
 * found is given back as it is, for the system to say so. Fails with a sentence when an argument cannot be handed to a
 * batch file.
 */
export const resolve = Effect.fnUntraced(function*(
  lookup: Lookup
): Effect.fn.Return<WindowsCommand, string, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.findFirst(
    candidates(lookup),
    (file) => Effect.orElseSucceed(fs.exists(file), () => false)
  )
  const file = found._tag === "Some" ? found.value : lookup.command
  if (!BATCH.test(file)) return { _tag: "Program", file }
  return { _tag: "Batch", line: yield* Effect.fromResult(line(file, lookup.args)) }
})

const BATCH = /\.(cmd|bat)$/i
const DEFAULT_EXTENSIONS = ".COM;.EXE;.BAT;.CMD"

/** A name that has an extension is looked for as it is first. A path is not searched for. */
const candidates = ({ command, cwd, extensions, searched }: Lookup): ReadonlyArray<string> => {
  const endings = (extensions ?? DEFAULT_EXTENSIONS).split(";").filter((ending) => ending !== "")
  const names = /\.[^\\/.]+$/.test(command)
    ? [command, ...endings.map((ending) => command + ending)]
    : endings.map((ending) => command + ending.toLowerCase())
  if (!/[\\/]/.test(command)) return searched.flatMap((folder) => names.map((name) => `${folder}\\${name}`))
  const isAbsolute = /^([a-z]:[\\/]|[\\/])/i.test(command)
  return isAbsolute ? names : names.map((name) => `${cwd}\\${name}`)
}

/**
 * One line for `cmd.exe /d /s /c`, from which the batch file gets exactly these arguments. It is read three times: by
 * cmd, by cmd again where the batch file passes `%*` on, and by the program's own splitting of its command line
 * (CVE-2024-27980 is what happens when it is not quoted). A line break would end the command, so it is refused.
 */
export const line = (file: string, args: ReadonlyArray<string>): Result.Result<string, string> => {
  const broken = args.findIndex((argument) => /[\r\n\0]/.test(argument))
  if (broken >= 0) {
    return Result.fail(`argument ${broken + 1} holds a line break, which a batch file (${file}) cannot be given`)
  }
  return Result.succeed([escaped(file), ...args.map((argument) => escaped(escaped(quoted(argument))))].join(" "))
}

/** For the program: backslashes count only before a quote. */
const quoted = (argument: string): string => `"${argument.replaceAll(/(\\*)"/g, "$1$1\\\"").replace(/(\\+)$/, "$1$1")}"`

/** For cmd: what it would act upon, quotes included, so that it never believes to be inside of any. */
const escaped = (text: string): string => text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, "^$&")
