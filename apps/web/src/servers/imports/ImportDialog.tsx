/** Servers of other applications of this machine: chosen, brought in, and what became of each. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type Refusal, words as wordsOf } from "../../api/Client.ts"
import type { ImportReport, ImportSource } from "../../api/Types.ts"
import { entry as words } from "../../messages/EntryMessages.ts"
import { Refused } from "../../state/Attempt.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { importServers, listImports } from "../entry/EntriesClient.ts"
import "../entry/entry.css"

type Server = ImportSource["servers"][number]

/** The key that tells servers of several applications apart. */
const keyOf = ({ file }: ImportSource, { name }: Server): string => `${file} ${name}`

const titleOf = ({ application, file }: ImportSource): string => application ?? file

/**
 * An application by its name, which also works where others reach the server. A file of a project is named itself, as the
 * person does who trusts it, and so is one of several.
 */
const sourceOf = ({ application, file, scope }: ImportSource, all: ReadonlyArray<ImportSource>): string =>
  application !== null && scope !== "project" && all.filter((one) => one.application === application).length === 1
    ? application
    : file

/** Whether a person may choose it. */
const canBeChosen = ({ scope }: ImportSource, { differences, outcome }: Server): boolean =>
  outcome !== "unchanged" && (outcome !== "skipped" || scope === "project" || differences.length > 0)

const runs = ({ args, command, url }: Server): string => url ?? [command, ...args ?? []].join(" ")

export const ImportDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const found = useSignal<ImportReport | null>(null)
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const reports = useSignal<ReadonlyArray<ImportReport>>([])
  const refused = useSignal<ReadonlyArray<Refusal>>([])
  const isBusy = useSignal(false)
  useEffect(() => {
    void listImports().then((report) => {
      found.value = report
      chosen.value = new Set(
        report.sources.flatMap((source) =>
          source.servers.filter(({ outcome }) => outcome === "added").map((server) => keyOf(source, server))
        )
      )
    }, (error) => {
      refused.value = [wordsOf(error)]
    })
  }, [])
  const toggle = (key: string) => {
    const next = new Set(chosen.value)
    if (!next.delete(key)) next.add(key)
    chosen.value = next
  }
  const bring = async () => {
    isBusy.value = true
    refused.value = []
    for (const source of found.value?.sources ?? []) {
      const wanted = source.servers.filter((server) => chosen.value.has(keyOf(source, server)))
      if (wanted.length === 0) continue
      const force = wanted.some(({ differences }) => differences.length > 0)
      const request = {
        source: sourceOf(source, found.value?.sources ?? []),
        names: wanted.map(({ name }) => name),
        force
      }
      await importServers(request).then((report) => {
        reports.value = [...reports.value, report]
      }, (error) => {
        refused.value = [...refused.value, wordsOf(error)]
      })
    }
    isBusy.value = false
  }
  const sources = (found.value?.sources ?? []).filter(({ error, servers }) => error !== null || servers.length > 0)
  return (
    <Dialog title={reports.value.length > 0 ? words.imports.report : words.imports.title} isWide onClose={onClose}>
      {found.value === null && refused.value.length === 0 ? <Spinner label={words.imports.looking} /> : null}
      {refused.value.map((why) => <Refused key={why.message} why={why} />)}
      {reports.value.length > 0
        ? reports.value.flatMap(({ sources: done }) => done).map((source) => <Done key={source.file} source={source} />)
        : sources.map((source) => <Source key={source.file} source={source} chosen={chosen.value} onToggle={toggle} />)}
      {found.value !== null && sources.length === 0 ? <p>{words.imports.none}</p> : null}
      {(found.value?.warnings ?? []).map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}
      <footer>
        {reports.value.length > 0
          ? <Button kind="primary" onClick={onClose}>{words.imports.done}</Button>
          : (
            <>
              <Button onClick={onClose}>{words.cancel}</Button>
              <Button
                kind="primary"
                disabled={isBusy.value || chosen.value.size === 0}
                onClick={() => void bring()}
              >
                {isBusy.value ? <Spinner label={words.imports.importing} /> : null}
                {words.imports.import(chosen.value.size)}
              </Button>
            </>
          )}
      </footer>
    </Dialog>
  )
}

interface SourceProps {
  readonly source: ImportSource
  readonly chosen: ReadonlySet<string>
  readonly onToggle: (key: string) => void
}

const Source = ({ chosen, onToggle, source }: SourceProps) => (
  <section class="stack import-source">
    <h3>
      {titleOf(source)} <span class="muted small">{source.application === null ? "" : source.file}</span>
    </h3>
    {source.error === null ? null : <Notice tone="bad" hint={source.error.hint}>{source.error.message}</Notice>}
    <ul class="import-list" aria-label={words.imports.list(titleOf(source))}>
      {source.servers.map((server) => {
        const { differences, name, outcome } = server
        return (
          <li key={name}>
            <label class="row">
              <input
                type="checkbox"
                checked={chosen.has(keyOf(source, server))}
                disabled={!canBeChosen(source, server)}
                onChange={() => onToggle(keyOf(source, server))}
              />
              <strong>{name}</strong>
              {outcome === "unchanged" ? <Badge>{words.imports.isThere}</Badge> : null}
              {differences.length > 0
                ? <Badge tone="warn">{words.imports.differs(differences.join(", "))}</Badge>
                : null}
            </label>
            {runs(server) === "" ? null : <code class="import-runs">{runs(server)}</code>}
            <Notes server={server} />
          </li>
        )
      })}
    </ul>
  </section>
)

const Notes = ({ server: { notes } }: { readonly server: Server }) => (
  <>
    {notes.filter(({ matters }) => matters).map(({ detail, key }) => (
      <p key={`${key} ${detail}`} class="small muted import-note">{detail}</p>
    ))}
  </>
)

const Done = ({ source }: { readonly source: ImportSource }) => (
  <section class="stack import-source">
    <h3>{titleOf(source)}</h3>
    {source.error === null ? null : <Notice tone="bad" hint={source.error.hint}>{source.error.message}</Notice>}
    <ul class="import-list" aria-label={words.imports.list(titleOf(source))}>
      {source.servers.map((server) => (
        <li key={server.name}>
          <p class="row">
            <strong>{server.name}</strong>
            <span class="muted">{words.imports.outcomes[server.outcome]}</span>
          </p>
          {server.outcome === "skipped" || server.enabled
            ? null
            : <p class="muted">{server.held ? words.imports.held : words.imports.off}</p>}
          <Notes server={server} />
        </li>
      ))}
    </ul>
  </section>
)
