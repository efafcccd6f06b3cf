/** One published server: who publishes it, where its code is, and the ways to run it, one of which is chosen. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { type Refusal, words as wordsOf } from "../../api/Client.ts"
import type { PublishedCandidate, PublishedDetails } from "../../api/Types.ts"
import { date } from "../../messages/Numbers.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Fact } from "../../state/Panel.tsx"
import { address } from "../../state/Route.ts"
import { Button } from "../../ui/Button.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { detailsOf } from "../ServerActions.tsx"
import { CandidateForm } from "./CandidateForm.tsx"
import { look, type PublishedVersion, versionsOf } from "./GalleryClient.ts"
import { best } from "./InstallDraft.ts"
import { FIND, Marks } from "./PublishedMarks.tsx"

interface GalleryServerProps {
  readonly name: string
  /** Null is the latest. */
  readonly version: string | null
}

export const GalleryServer = ({ name, version }: GalleryServerProps) => {
  const details = useSignal<PublishedDetails | null>(null)
  const refused = useSignal<Refusal | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    look(name, version, abort.signal).then((found) => {
      details.value = found
    }, (error) => {
      if (!abort.signal.aborted) refused.value = wordsOf(error)
    })
    return () => abort.abort()
  }, [name, version])
  if (details.value !== null) return <Details details={details.value} />
  return refused.value === null ? <Spinner label={words.reading} /> : <Refused why={refused.value} />
}

const Details = ({ details }: { readonly details: PublishedDetails }) => {
  const { candidates, description, installed, keptAt, status, statusMessage } = details
  const chosen = useSignal<PublishedCandidate | null>(best(candidates))
  return (
    <>
      <p>
        {description} <Marks status={status} installed={installed.length > 0} />
      </p>
      {keptAt === null ? null : <Notice tone="warn">{words.kept(date(keptAt))}</Notice>}
      {status === "deleted" ? <Notice tone="bad" hint={statusMessage}>{words.deleted}</Notice> : null}
      <Facts details={details} />
      {candidates.length === 0
        ? <Notice tone="warn">{words.noWay}</Notice>
        : (
          <Ways
            candidates={candidates}
            chosen={chosen.value}
            onChoose={(candidate) => chosen.value = candidate}
          />
        )}
      {chosen.value === null
        ? null
        : <CandidateForm key={chosen.value.id} details={details} candidate={chosen.value} />}
    </>
  )
}

const Facts = (
  { details: { installed, name, publishedAt, publisher, registry, repository, version, website } }: {
    readonly details: PublishedDetails
  }
) => (
  <dl class="about-list">
    <Fact name={words.facts.name}>{name}</Fact>
    <Fact name={words.facts.publisher}>{words.checked(publisher)}</Fact>
    <Fact name={words.facts.version}>
      {publishedAt === null ? version : `${version}, ${date(publishedAt)}`} <Versions name={name} shown={version} />
    </Fact>
    {repository === null ? null : (
      <Fact name={words.facts.repository}>
        <Outside href={repository}>{repository}</Outside>
      </Fact>
    )}
    {website === null ? null : (
      <Fact name={words.facts.website}>
        <Outside href={website}>{website}</Outside>
      </Fact>
    )}
    <Fact name={words.facts.registry}>{registry}</Fact>
    {installed.length === 0 ? null : (
      <Fact name={words.facts.installed}>
        {installed.map((server) => <a key={server} href={detailsOf(server)}>{server}</a>)}
      </Fact>
    )}
  </dl>
)

/** The other versions, asked for on demand. */
const Versions = ({ name, shown }: { readonly name: string; readonly shown: string }) => {
  const all = useSignal<ReadonlyArray<PublishedVersion> | null>(null)
  const { isBusy, refused, run } = useAttempt()
  const ask = () =>
    run(async () => {
      const { versions } = await versionsOf(name)
      all.value = versions.filter(({ version }) => version !== shown)
    })
  if (all.value === null) {
    return (
      <>
        <Button isSmall disabled={isBusy.value} onClick={() => void ask()}>{words.versions}</Button>
        <Refused why={refused.value} />
      </>
    )
  }
  if (all.value.length === 0) return <span class="muted">{words.noVersions}</span>
  return (
    <ul class="gallery-versions" aria-label={words.versions}>
      {all.value.map(({ status, version }) => (
        <li key={version}>
          <a href={address("servers", FIND, name, version)}>{version}</a> <Marks status={status} installed={false} />
        </li>
      ))}
    </ul>
  )
}

const Outside = ({ children, href }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a href={href} target="_blank" rel="noopener noreferrer">{children}</a>
)

interface WaysProps {
  readonly candidates: ReadonlyArray<PublishedCandidate>
  readonly chosen: PublishedCandidate | null
  readonly onChoose: (candidate: PublishedCandidate) => void
}

const Ways = ({ candidates, chosen, onChoose }: WaysProps) => (
  <fieldset class="gallery-ways">
    <legend>{words.ways}</legend>
    {candidates.map((candidate) => (
      <label key={candidate.id} class="gallery-way">
        <input
          type="radio"
          name="way"
          checked={candidate.id === chosen?.id}
          disabled={candidate.refused !== null}
          onChange={() => onChoose(candidate)}
        />
        <span>
          {words.way[candidate.kind]} <code>{candidate.title}</code>
          {candidate.refused === null ? null : <span class="muted">{candidate.refused}</span>}
        </span>
      </label>
    ))}
  </fieldset>
)
