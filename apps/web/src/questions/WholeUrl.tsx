/** An address that somebody else wants opened: all of it, with the host that it leads to standing out. */
import { questions as texts } from "../messages/QuestionsMessages.ts"
import { Copy } from "../ui/code/Copy.tsx"
import { Notice } from "../ui/Notice.tsx"
import { partsOf, warningsOf } from "./Addresses.ts"

const LONG = 400

export const WholeUrl = ({ url }: { readonly url: string }) => {
  const { after, before, host } = partsOf(url)
  return (
    <>
      <div class="whole-url">
        {/* A long one scrolls, which a keyboard does only where the focus can be. */}
        <p {...(url.length > LONG ? { tabIndex: 0, role: "group", "aria-label": texts.address } : {})}>
          {before}
          <strong>{host}</strong>
          {after}
        </p>
        <Copy label={texts.copyTheAddress} text={() => url} />
      </div>
      {warningsOf(url).map((warning) => <Notice key={warning} tone="warn">{warning}</Notice>)}
    </>
  )
}
