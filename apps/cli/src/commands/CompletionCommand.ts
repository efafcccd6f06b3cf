/** `completion`: what a shell has to load, so that its Tab key knows verbs, flags, and names of the data folder. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import { verb } from "../options/Options.ts"
import { Output } from "../terminal/Output.ts"

/** Asks for names first, then does what effect's own script does. The names are found by `CompletionWords`. */
const NAMES: Readonly<Record<Completions.Shell, string>> = {
  bash: `
_boocode_names() {
  local names cur="\${COMP_WORDS[COMP_CWORD]}"
  names="$("\${COMP_WORDS[0]}" completion words "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  if [[ -n "$names" ]]; then
    COMPREPLY=( $(compgen -W "$names" -- "$cur") )
  else
    _boocode "$@"
  fi
}
complete -F _boocode_names boocode
`,
  zsh: `
_boocode_names() {
  local -a names
  names=("\${(@f)$("\${words[1]}" completion words "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${names[1]}" ]]; then
    compadd -a names
  else
    _boocode "$@"
  fi
}
compdef _boocode_names boocode
`,
  fish: `
function __boocode_names
  set -l words (commandline -opc) (commandline -ct)
  $words[1] completion words $words[2..-1] 2>/dev/null
end
complete -c boocode -f -a '(__boocode_names)'
`,
  // PowerShell calls one completer only: its names are those of verbs and flags.
  powershell: ""
}

type Completable = Parameters<typeof Completions.fromCommand>[0]

/** The whole script. */
export const script = (shell: Completions.Shell, root: Completable): string =>
  `${Completions.generate("boocode", shell, Completions.fromCommand(root))}${NAMES[shell]}`

/** The command is asked for late: this verb is a part of it. */
export const completion = (root: () => Completable) =>
  Command.make(
    "completion",
    {
      shell: Argument.Literals("SHELL", ["bash", "zsh", "fish", "powershell"]).pipe(
        Argument.withDescription("Print it for this shell: source <(boocode completion bash)")
      )
    },
    ({ shell }) => verb(() => Output.use(({ text }) => text(script(shell, root()))))
  ).pipe(Command.withDescription("Print what a shell loads to complete verbs, flags and names with the Tab key"))
