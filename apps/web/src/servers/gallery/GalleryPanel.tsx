/** The route `#/servers/+find`: servers that a registry publishes; `#/servers/+find/NAME`: one of them. */
import type { PublishedSummary } from "../../api/Types.ts"
import { date } from "../../messages/Numbers.ts"
import { gallery as words } from "../../messages/servers/GalleryMessages.ts"
import { servers as serverWords } from "../../messages/ServersMessages.ts"
import { Refused, useAttempt } from "../../state/Attempt.tsx"
import { Panel } from "../../state/Panel.tsx"
import { address } from "../../state/Route.ts"
import { Button, LinkButton } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { SearchInput } from "../../ui/forms/SearchInput.tsx"
import type { PanelProps } from "../../ui/Lazy.tsx"
import { Letter } from "../../ui/Letter.tsx"
import { Row } from "../../ui/lists/Row.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { found, searchAnew, searchOn, sought } from "./FoundServers.ts"
import type { FoundPage } from "./GalleryClient.ts"
import "./gallery.css"
import { GalleryServer } from "./GalleryServer.tsx"
import { FIND, Marks } from "./PublishedMarks.tsx"

export const GalleryPanel = ({ rest: [name, version] }: PanelProps) =>
  name === undefined ? <GallerySearch /> : (
    <Panel
      title={found.value?.servers.find((one) => one.name === name)?.title ?? shortOf(name)}
      actions={<LinkButton href={address("servers", FIND)} icon="left">{words.back}</LinkButton>}
    >
      <GalleryServer key={`${name} ${version ?? ""}`} name={name} version={version ?? null} />
    </Panel>
  )

/** The part of a name behind its publisher's. */
const shortOf = (name: string): string => name.split("/").at(-1) ?? name

const GallerySearch = () => {
  const { isBusy, refused, run } = useAttempt()
  const page = found.value
  return (
    <Panel
      title={words.title}
      actions={<LinkButton href={address("servers")} icon="left">{serverWords.all}</LinkButton>}
    >
      <form
        class="gallery-search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy.value) void run(searchAnew)
        }}
      >
        <SearchInput label={words.field} value={sought.value} onValue={(value) => sought.value = value} />
        <Button kind="primary" type="submit" disabled={isBusy.value}>{words.search}</Button>
      </form>
      <p class="muted small">{words.about}</p>
      <Refused why={refused.value} />
      {isBusy.value ? <Spinner label={words.searching} /> : null}
      {page === null ? null : <Found page={page} isBusy={isBusy.value} onMore={() => void run(searchOn)} />}
    </Panel>
  )
}

interface FoundProps {
  readonly page: FoundPage
  readonly isBusy: boolean
  readonly onMore: () => void
}

const Found = ({ isBusy, onMore, page: { keptAt, nextCursor, problems, servers } }: FoundProps) => (
  <>
    {keptAt === null ? null : <Notice tone="warn">{words.kept(date(keptAt))}</Notice>}
    {servers.length === 0
      ? (
        <Empty title={words.none}>
          <p>{words.noneAbout}</p>
        </Empty>
      )
      : (
        <section class="stack" aria-label={words.title}>
          <p class="muted small" role="status">{words.found(servers.length, nextCursor !== null)}</p>
          <ul class="items">{servers.map((one) => <FoundRow key={one.name} server={one} />)}</ul>
        </section>
      )}
    {problems.map((problem) => <Notice key={problem} tone="warn">{problem}</Notice>)}
    {nextCursor === null ? null : <Button disabled={isBusy} onClick={onMore}>{words.more}</Button>}
  </>
)

const FoundRow = (
  { server: { description, installed, kinds, name, publisher, status, title, version } }: {
    readonly server: PublishedSummary
  }
) => (
  <Row
    level={2}
    label={title ?? name}
    icon={<Letter name={title ?? shortOf(name)} isLarge />}
    title={<a href={address("servers", FIND, name)}>{title ?? name}</a>}
    meta={
      <>
        {[
          words.by(publisher),
          version,
          kinds.length === 0 ? words.cannot : kinds.map((kind) => kindWords(kind)).join(", ")
        ].join(" · ")} <Marks status={status} installed={installed.length > 0} />
      </>
    }
  >
    <p class="item-about">{description}</p>
  </Row>
)

const KINDS: Readonly<Record<string, string>> = words.kinds
const kindWords = (kind: string): string => KINDS[kind] ?? kind
