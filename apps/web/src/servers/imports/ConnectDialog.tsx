/** The other applications of this machine that can use BooCode: connected or not, and the command that connects each. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type Refusal, words as wordsOf } from "../../api/Client.ts"
import type { Connections } from "../../api/Types.ts"
import { entry } from "../../messages/EntryMessages.ts"
import { Refused } from "../../state/Attempt.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { CodeBlock } from "../../ui/code/CodeBlock.tsx"
import { Copy } from "../../ui/code/Copy.tsx"
import { ownCommand } from "../../ui/code/ShownCommand.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { listConnections } from "../entry/EntriesClient.ts"
import "../entry/entry.css"

const words = entry.connections

export const ConnectDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const found = useSignal<Connections | null>(null)
  const refused = useSignal<Refusal | null>(null)
  useEffect(() => {
    void listConnections().then((connections) => {
      found.value = connections
    }, (error) => {
      refused.value = wordsOf(error)
    })
  }, [])
  return (
    <Dialog title={words.title} isWide onClose={onClose}>
      <p>{words.about}</p>
      {found.value === null && refused.value === null ? <Spinner label={words.looking} /> : null}
      {refused.value === null ? null : <Refused why={refused.value} />}
      {found.value === null ? null : (
        <>
          <ul class="import-list" aria-label={words.list}>
            {found.value.clients.map((client) => (
              <Client key={client.id} client={client} flags={found.value?.flags ?? []} />
            ))}
          </ul>
          <section class="stack">
            <h3>{words.other}</h3>
            <p class="muted">{words.otherAbout}</p>
            <CodeBlock language="json" code={JSON.stringify(found.value.entry, null, 2)} />
          </section>
        </>
      )}
    </Dialog>
  )
}

type ClientState = Connections["clients"][number]

/** As a shell takes it. */
const quoted = (word: string): string => /^[\w@%+:,./\\-]+$/.test(word) ? word : JSON.stringify(word)

interface ClientProps {
  readonly client: ClientState
  readonly flags: ReadonlyArray<string>
}

const Client = ({ client: { file, found, id, problem, profile, servers, title }, flags }: ClientProps) => {
  const verb = profile === null ? "connect" : "disconnect"
  const command = [ownCommand.value, verb, ...[id, ...flags].map(quoted)].join(" ")
  return (
    <li>
      <p class="row">
        <strong>{title}</strong>
        {profile === null
          ? <span class="muted">{found ? words.notConnected : words.notFound}</span>
          : <Badge tone="good">{words.connected(profile)}</Badge>}
        {servers === 0 ? null : <span class="muted small">{words.others(servers)}</span>}
        <span class="muted small" dir="ltr">{file}</span>
      </p>
      {problem === null ? null : <Notice tone="warn">{problem}</Notice>}
      <p class="row connect-command">
        <code>{command}</code>
        <Copy label={words.copy(command)} text={() => command} />
      </p>
    </li>
  )
}
