/** A new server: a command, an address, or what some documentation has to paste. It is written into the data file. */
import { useSignal } from "@preact/signals"
import { type Refusal, words } from "../../api/Client.ts"
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

const WAYS: ReadonlyArray<readonly [Way, string]> = [["command", "Command"], ["url", "URL"], ["paste", "Paste JSON"]]

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
    if (called === "") return { servers: null, wrong: "Give it a name." }
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
    if (added.length > 0) tell({ text: `Added ${added.join(", ")}.` })
    if (refused.value.length > 0) return
    onClose()
    const [only] = added
    if (added.length === 1 && only !== undefined) go("servers", [only])
  }

  return (
    <Dialog title="Add a server" isWide onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) void add()
        }}
      >
        <Segments label="How to say what it is" options={WAYS} value={way.value} onChange={(id) => way.value = id} />
        <LabelledField
          label="Name"
          about={way.value === "paste" ? "Only for one entry without a name." : "Its tools begin with it."}
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
            <LabelledField label="JSON" wrong={wrong.value}>
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
        <p class="muted add-note">It is written into the configuration of this server and started at once.</p>
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {isBusy.value ? <Spinner label="adding" /> : null}
            Add
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
    <LabelledField label="Command" about="A program on the machine of this server, such as npx or uvx.">
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
    <LabelledField label="Arguments" about="One a line.">
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
      legend="Environment"
      about="${NAME} stands for a variable of the server, so that secrets need not be in the file."
      noun="Variable"
      rows={fields.env}
      onChange={(env) => onChange({ ...fields, env })}
    />
  </>
)

const UrlForm = ({ fields, onChange }: FormProps<EntryForm.UrlFields>) => (
  <>
    <LabelledField label="URL">
      {(props) => (
        <input
          {...props}
          class="input mono"
          type="url"
          required
          placeholder="https://mcp.example.com/mcp"
          value={fields.url}
          onInput={(event) => onChange({ ...fields, url: event.currentTarget.value })}
        />
      )}
    </LabelledField>
    <LabelledField label="Transport">
      {(props) => (
        <select
          {...props}
          class="input"
          value={fields.type}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...fields, type: value === "http" || value === "sse" ? value : "" })}
        >
          <option value="">Find out</option>
          <option value="http">Streamable HTTP</option>
          <option value="sse">HTTP with SSE (old servers)</option>
        </select>
      )}
    </LabelledField>
    <KeyValueRows
      legend="Headers"
      about="${NAME} stands for a variable of the server, so that secrets need not be in the file."
      noun="Header"
      rows={fields.headers}
      onChange={(headers) => onChange({ ...fields, headers })}
    />
  </>
)
