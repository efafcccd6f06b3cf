/** The buttons of a server, and in words what was refused. */
import { useSignal } from "@preact/signals"
import { type Refusal, words } from "../api/Client.ts"
import type { ServerStatus } from "../api/Types.ts"
import { Refused } from "../state/Attempt.tsx"
import { Button } from "../ui/Button.tsx"
import type { IconName } from "../ui/Icon.tsx"
import { Spinner } from "../ui/Spinner.tsx"
import { act, type Verb } from "./ServersClient.ts"
import { verbs } from "./StateWords.ts"

const LOOKS: Readonly<Record<Verb, { readonly text: string; readonly icon: IconName; readonly doing: string }>> = {
  start: { text: "Start", icon: "play", doing: "starting" },
  stop: { text: "Stop", icon: "stop", doing: "stopping" },
  restart: { text: "Restart", icon: "retry", doing: "restarting" },
  refresh: { text: "Refresh", icon: "download", doing: "listing its tools again" },
  enable: { text: "Enable", icon: "power", doing: "enabling" },
  disable: { text: "Disable", icon: "power", doing: "disabling" }
}

/** Why a server did not come up is said by its state already. */
const isTold = ({ message }: Refusal, { error }: ServerStatus): boolean =>
  error !== null && (message.includes(error.message) || error.message.includes(message))

export const ServerActions = ({ status }: { readonly status: ServerStatus }) => {
  const doing = useSignal<Verb | null>(null)
  const refused = useSignal<Refusal | null>(null)
  const { name } = status

  const press = async (verb: Verb) => {
    doing.value = verb
    refused.value = null
    await act(name, verb).catch((error) => {
      refused.value = words(error)
    })
    // Another one may have been pressed meanwhile: a slow start can be stopped.
    if (doing.value === verb) doing.value = null
  }
  const told = refused.value !== null && !isTold(refused.value, status) ? refused.value : null
  return (
    <>
      <div class="row server-buttons">
        {verbs(status).map((verb) => {
          const { doing: words, icon, text } = LOOKS[verb]
          const isDoing = doing.value === verb
          return (
            <Button
              key={verb}
              isSmall
              {...(isDoing ? {} : { icon })}
              aria-label={`${text} ${name}`}
              aria-disabled={isDoing}
              onClick={() => isDoing || void press(verb)}
            >
              {isDoing ? <Spinner label={words} /> : null}
              {text}
            </Button>
          )
        })}
      </div>
      <Refused why={told} />
    </>
  )
}
