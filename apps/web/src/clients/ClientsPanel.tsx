/** The route `#/settings/clients`: which programs use the tools from outside, what they called, and ending them. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type Connection, follow } from "../api/Events.ts"
import type { McpClients } from "../api/Types.ts"
import { RemoveDialog } from "../forms/RemoveDialog.tsx"
import { clients as words } from "../messages/clients/ClientsMessages.ts"
import { day, minute } from "../messages/Numbers.ts"
import { Refused, useAttempt } from "../state/Attempt.tsx"
import { Panel } from "../state/Panel.tsx"
import { Button } from "../ui/Button.tsx"
import { Copy } from "../ui/code/Copy.tsx"
import { ownCommand } from "../ui/code/ShownCommand.ts"
import type { PanelProps } from "../ui/Lazy.tsx"
import { Letter } from "../ui/Letter.tsx"
import { Row } from "../ui/lists/Row.tsx"
import { Notice } from "../ui/Notice.tsx"
import "../ui/panels.css"
import { Spinner } from "../ui/Spinner.tsx"
import { AddClient } from "./AddClient.tsx"
import "./clients.css"
import { endClient, removeClient } from "./ClientsClient.ts"

type Connected = McpClients["clients"][number]
type Profile = McpClients["profiles"][number]

export const ClientsPanel = (_: PanelProps) => {
  const found = useSignal<McpClients | null>(null)
  const connection = useSignal<Connection>("open")
  useEffect(() => {
    const following = follow<McpClients>(() => "clients/changes", {
      document: (document) => found.value = document,
      state: (state) => connection.value = state
    })
    return following.close
  }, [])
  const { value } = found
  return (
    <Panel title={words.title} isOfSettings>
      <p>{words.about}</p>
      {connection.value === "open" ? null : <p role="status" class="muted">{words.lost}</p>}
      {value === null ? <Spinner label={words.reading} /> : <Overview of={value} />}
    </Panel>
  )
}

const Overview = ({ of: { clients, file, known, problems, profiles } }: { readonly of: McpClients }) => (
  <>
    {problems.map(({ hint, message }) => <Notice key={message} tone="bad" hint={hint}>{message}</Notice>)}
    <section class="clients-part" aria-label={words.connected}>
      <h2 class="section-heading">{words.connected}</h2>
      {clients.length === 0
        ? <p class="muted">{words.nobody}</p>
        : <ul class="items">{clients.map((client) => <ConnectedRow key={client.id} client={client} />)}</ul>}
    </section>
    <section class="clients-part" aria-label={words.start}>
      <h2 class="section-heading">{words.start}</h2>
      <p class="muted">{words.startAbout}</p>
      <p class="row">
        <code>{ownCommand.value} mcp serve</code>
        {/* oxlint-disable-next-line house/page-words -- a command is the same in every language */}
        <Copy text={() => `${ownCommand.value} mcp serve`} />
      </p>
    </section>
    <section class="clients-part" aria-label={words.known}>
      <h2 class="section-heading">{words.known}</h2>
      {known.length === 0
        ? <p class="muted">{words.noneKnown}</p>
        : (
          <ul class="items">
            {known.map((client) => <KnownRow key={`${client.profile}/${client.name}`} client={client} />)}
          </ul>
        )}
      <AddClient profiles={profiles.map(({ name }) => name)} />
    </section>
    <section class="clients-part" aria-label={words.profiles}>
      <h2 class="section-heading">{words.profiles}</h2>
      <p class="muted">
        {words.profilesAbout} <code>{file}</code>.
      </p>
      <dl class="about-list">
        {profiles.map((profile) => (
          <div key={profile.name}>
            <dt>{profile.name}</dt>
            <dd>{termsOf(profile)}</dd>
          </div>
        ))}
      </dl>
    </section>
  </>
)

const termsOf = ({ exposure, names, tools, write }: Profile): string =>
  [
    tools.join(", "),
    words.exposure[exposure],
    words.write[write],
    ...(names === "bare" ? [words.bare] : [])
  ].join(" · ")

const nameOf = ({ name, program }: Connected): string => name ?? program.name

const ConnectedRow = ({ client }: { readonly client: Connected }) => {
  const { calls, inFlight, lastTools, name, profile, program, since } = client
  const { isBusy, refused, run } = useAttempt()
  const title = nameOf(client)
  const meta = [
    name === null ? program.version : words.from(`${program.name} ${program.version}`),
    words.profile(profile),
    words.since(minute(since)),
    words.calls(calls),
    ...(inFlight === 0 ? [] : [words.running(inFlight)])
  ].filter((one) => one !== "").join(" · ")
  return (
    <Row
      label={title}
      icon={<Letter name={title} />}
      title={title}
      meta={meta}
      action={
        <Button
          isSmall
          aria-label={words.endOf(title)}
          disabled={isBusy.value}
          onClick={() => void run(() => endClient(client.id))}
        >
          {words.end}
        </Button>
      }
    >
      {lastTools.length === 0
        ? null
        : (
          <p class="muted small clients-tools">
            {words.last} {lastTools.map((tool) => <code key={tool}>{tool}</code>)}
          </p>
        )}
      <Refused why={refused.value} />
    </Row>
  )
}

const KnownRow = ({ client: { created, name, profile } }: { readonly client: McpClients["known"][number] }) => {
  const isAsked = useSignal(false)
  const meta = [words.profile(profile), words.since(day(created))].join(" · ")
  return (
    <Row
      label={name}
      icon={<Letter name={name} />}
      title={name}
      meta={meta}
      action={
        <Button isSmall aria-label={words.removeOf(name)} onClick={() => isAsked.value = true}>{words.remove}</Button>
      }
    >
      {isAsked.value
        ? (
          <RemoveDialog
            title={words.removeTitle(name)}
            action={words.removeAction}
            onClose={() => isAsked.value = false}
            request={() => removeClient(name)}
          >
            <p>{words.removeAbout}</p>
          </RemoveDialog>
        )
        : null}
    </Row>
  )
}
