/** A new server: a command, an address, or what some documentation has to paste. It is written into the data file. */
import { useSignal } from "@preact/signals"
import { type Refusal, words } from "../../api/Client.ts"
import { serverDetail as texts } from "../../messages/ServerDetailMessages.ts"
import { Refused } from "../../state/Attempt.tsx"
import { go } from "../../state/Route.ts"
import { tell } from "../../state/Toasts.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { LabelledField } from "../../ui/forms/LabelledField.tsx"
import { Segments } from "../../ui/forms/Segments.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { addServer } from "../ServersClient.ts"
import * as EntryForm from "./EntryForm.ts"
import { KeyValueRows } from "./KeyValueRows.tsx"

type Way = "command" | "url" | "paste"

const WAYS: ReadonlyArray<readonly [Way, string]> = [["command", texts.command], ["url", "URL"], [
  "paste",
  texts.pasteJson
]]

interface RefusedServer extends Refusal {
  readonly name: string
}

const PLACEHOLDER = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]
    }
  }
}`

export const AddServerDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const way = useSignal<Way>("command")
  const name = useSignal("")
  const command = useSignal<EntryForm.CommandFields>({ command: "", args: "", env: [] })
  const url = useSignal<EntryForm.UrlFields>({ url: "", type: "", headers: [] })
  const pasted = useSignal("")
  const wrong = useSignal<string | null>(null)
  const refused = useSignal<ReadonlyArray<RefusedServer>>([])
  const isBusy = useSignal(false)

  const suggested = way.value === "command"
    ? EntryForm.suggestedName({ command: command.value.command })
    : way.value === "url"
    ? EntryForm.suggestedName({ url: url.value.url })
    : ""

  const wanted = (): EntryForm.Snippet => {
    if (way.value === "paste") return EntryForm.parse(pasted.value, name.value)
    const called = name.value.trim() === "" ? suggested : name.value.trim()
    if (called === "") return { servers: null, wrong: texts.giveItAName }
    const entry = way.value === "command" ? EntryForm.ofCommand(command.value) : EntryForm.ofUrl(url.value)
    return { servers: [{ name: called, entry }], wrong: null }
  }

  const add = async () => {
    const { servers, wrong: why } = wanted()
    wrong.value = why
    refused.value = []
    if (servers === null) return
    isBusy.value = true
    const added: Array<string> = []
    for (const server of servers) {
      await addServer(server.name, server.entry).then(() => added.push(server.name), (error) => {
        refused.value = [...refused.value, { name: server.name, ...words(error) }]
      })
    }
    isBusy.value = false
    if (added.length > 0) tell({ text: texts.addedServers(added.join(", ")) })
    if (refused.value.length > 0) return
    onClose()
    const [only] = added
    if (added.length === 1 && only !== undefined) go("servers", [only])
  }

  return (
    <Dialog title={texts.addAServer} isWide onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) void add()
        }}
      >
        <Segments label={texts.wayOfSaying} options={WAYS} value={way.value} onChange={(id) => way.value = id} />
        <LabelledField
          label={texts.name}
          about={way.value === "paste" ? texts.nameForOne : texts.namePrefix}
        >
          {(props) => (
            <input
              {...props}
              class="input"
              autocomplete="off"
              placeholder={suggested}
              value={name.value}
              onInput={(event) => name.value = event.currentTarget.value}
            />
          )}
        </LabelledField>
        {way.value === "command"
          ? <CommandForm fields={command.value} onChange={(fields) => command.value = fields} />
          : way.value === "url"
          ? <UrlForm fields={url.value} onChange={(fields) => url.value = fields} />
          : (
            <LabelledField label={texts.json} wrong={wrong.value}>
              {(props) => (
                <textarea
                  {...props}
                  class="input mono"
                  rows={10}
                  required
                  spellcheck={false}
                  placeholder={PLACEHOLDER}
                  value={pasted.value}
                  onInput={(event) => {
                    pasted.value = event.currentTarget.value
                    wrong.value = null
                  }}
                />
              )}
            </LabelledField>
          )}
        {way.value !== "paste" && wrong.value !== null ? <Notice tone="bad" isUrgent>{wrong.value}</Notice> : null}
        {refused.value.map((why) => <Refused key={why.name} why={why} />)}
        <p class="muted add-note">{texts.writtenAndStarted}</p>
        <footer>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {isBusy.value ? <Spinner label={texts.adding} /> : null}
            {texts.add}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

interface FormProps<A> {
  readonly fields: A
  readonly onChange: (fields: A) => void
}

const CommandForm = ({ fields, onChange }: FormProps<EntryForm.CommandFields>) => (
  <>
    <LabelledField label={texts.command} about={texts.commandAbout}>
      {(props) => (
        <input
          {...props}
          class="input mono"
          required
          autocomplete="off"
          spellcheck={false}
          value={fields.command}
          onInput={(event) => onChange({ ...fields, command: event.currentTarget.value })}
        />
      )}
    </LabelledField>
    <LabelledField label={texts.arguments} about={texts.oneALine}>
      {(props) => (
        <textarea
          {...props}
          class="input mono"
          rows={3}
          spellcheck={false}
          value={fields.args}
          onInput={(event) => onChange({ ...fields, args: event.currentTarget.value })}
        />
      )}
    </LabelledField>
    <KeyValueRows
      legend={texts.environment}
      about={texts.variables}
      noun={texts.variable}
      rows={fields.env}
      onChange={(env) => onChange({ ...fields, env })}
    />
  </>
)

const UrlForm = ({ fields, onChange }: FormProps<EntryForm.UrlFields>) => (
  <>
    <LabelledField label={texts.url}>
      {(props) => (
        <input
          {...props}
          class="input mono"
          type="url"
          required
          placeholder={texts.urlHint}
          value={fields.url}
          onInput={(event) => onChange({ ...fields, url: event.currentTarget.value })}
        />
      )}
    </LabelledField>
    <LabelledField label={texts.transport}>
      {(props) => (
        <select
          {...props}
          class="input"
          value={fields.type}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...fields, type: value === "http" || value === "sse" ? value : "" })}
        >
          <option value="">{texts.findOut}</option>
          <option value="http">{texts.streamableHttp}</option>
          <option value="sse">{texts.oldSse}</option>
        </select>
      )}
    </LabelledField>
    <KeyValueRows
      legend={texts.headers}
      about={texts.variables}
      noun={texts.header}
      rows={fields.headers}
      onChange={(headers) => onChange({ ...fields, headers })}
    />
  </>
)
