/** One published server: who publishes it, where its code is, and the ways to run it, one of which is chosen. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { type Refusal, words as wordsOf } from "../../api/Client.ts"
import type { PublishedCandidate, PublishedDetails } from "../../api/Types.ts"
import { gallery as words } from "../../messages/GalleryMessages.ts"
import { Refused } from "../../state/Attempt.tsx"
import { Fact } from "../../state/Panel.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { detailsOf } from "../ServerActions.tsx"
import { CandidateForm } from "./CandidateForm.tsx"
import { look } from "./GalleryClient.ts"
import { best } from "./InstallDraft.ts"
import { Marks, timeOf } from "./PublishedMarks.tsx"

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
  const { candidates, description, installed, keptAt, status, statusMessage, title } = details
  const chosen = useSignal<PublishedCandidate | null>(best(candidates))
  return (
    <>
      <p class="gallery-head">
        {title === null ? null : <strong>{title}</strong>} <Marks status={status} installed={installed.length > 0} />
      </p>
      <p>{description}</p>
      {keptAt === null ? null : <Notice tone="warn">{words.kept(timeOf(keptAt))}</Notice>}
      {status === "active"
        ? null
        : <Notice tone={status === "deleted" ? "bad" : "warn"} hint={statusMessage}>{words[status]}</Notice>}
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
  { details: { installed, publishedAt, publisher, registry, repository, version, website } }: {
    readonly details: PublishedDetails
  }
) => (
  <dl class="about-list">
    <Fact name={words.facts.publisher}>{words.checked(publisher)}</Fact>
    <Fact name={words.facts.version}>{publishedAt === null ? version : `${version}, ${timeOf(publishedAt)}`}</Fact>
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
        {installed.map((name) => <a key={name} href={detailsOf(name)}>{name}</a>)}
      </Fact>
    )}
  </dl>
)

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
