/**
 * The options that a published server may give to the program that starts it. Everything else is refused: a word that the
 * program takes for a package or an image would run something other than what was shown.
 */

/** The programs that start packages, which of their options are taken, and the variables by which they are set up. */
interface Runner {
  /** Options without a value. */
  readonly alone: ReadonlySet<string>
  /** Options whose value stands behind them, or after `=`. */
  readonly valued: ReadonlySet<string>
  readonly setUp: RegExp
}

const words = (line: string): ReadonlySet<string> => new Set(line.split(" "))

const RUNNERS = {
  npx: {
    alone: words("-y --yes -q --quiet -s --silent --prefer-offline --prefer-online"),
    valued: words("--loglevel"),
    setUp: /^npm_config_/i
  },
  uvx: {
    alone: words("-q --quiet -n --no-cache --isolated --native-tls --system-certs --no-progress --refresh"),
    valued: words("-p --python --python-preference --prerelease --resolution"),
    setUp: /^(?:uv|pip)_/i
  },
  docker: {
    alone: words("-i --interactive --rm --init --read-only -q --quiet"),
    valued: words(
      "-e --env -v --volume --mount --tmpfs --name --network --net --add-host -p --publish -u --user -w --workdir " +
        "--platform --pull -m --memory --cpus --shm-size -l --label -h --hostname --dns --env-file --stop-timeout"
    ),
    setUp: /^docker_/i
  },
  dnx: { alone: words("-y --yes --interactive"), valued: words("-v --verbosity"), setUp: /^(?:dotnet|nuget)_/i }
} as const satisfies Readonly<Record<string, Runner>>

/** A program that starts packages. */
export type RunnerName = keyof typeof RUNNERS

/** Options that stand in every command already. */
const STANDING: Readonly<Record<RunnerName, ReadonlySet<string>>> = {
  npx: words("-y --yes"),
  uvx: words(""),
  docker: words("run -i --interactive --rm"),
  dnx: words("-y --yes")
}

/** Whether an argument only says what the command says anyway. */
export const isStanding = (runner: RunnerName, tokens: ReadonlyArray<string>): boolean =>
  tokens.length === 1 && STANDING[runner].has(tokens[0] ?? "")

/** Variables that have any program load other code, or trust others. */
const LOADERS = /^(?:PATH|LD_\w+|DYLD_\w+|PYTHON(?:PATH|HOME|STARTUP)|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_\w+))$/i

/** Whether a program would run something else than its command says by a variable of this name. */
export const isSteeredBy = (runner: RunnerName, variable: string): boolean =>
  LOADERS.test(variable) || RUNNERS[runner].setUp.test(variable)

/** Why a program may not get these words; null when it may. */
export const refusal = (runner: RunnerName, [option = "", ...values]: ReadonlyArray<string>): string | null => {
  const { alone, valued }: Runner = RUNNERS[runner]
  const [name = "", inline] = option.startsWith("--") ? option.split(/=(.*)/s, 2) : [option]
  const isTaken = values.length === 0
    ? inline === undefined ? alone.has(name) : valued.has(name)
    : values.length === 1 && inline === undefined && valued.has(name)
  return isTaken
    ? null
    : `it gives ${runner} ${option === "" ? "an empty word" : option}, which is not taken from a registry`
}

/** Warns of an option that lets a container do more than run its program; null for nothing. */
export const warning = (runner: RunnerName, [option = "", value = ""]: ReadonlyArray<string>): string | null => {
  if (runner !== "docker") return null
  const [name = "", inline = value] = option.startsWith("--") ? option.split(/=(.*)/s, 2) : [option]
  if (/^(?:-v|--volume|--mount)$/.test(name)) return `the container sees a folder of this machine: ${inline}`
  if (/^--net(?:work)?$/.test(name)) return `the container gets the network ${inline}`
  if (name === "--env-file") return `the container gets the variables of a file of this machine: ${inline}`
  return null
}
