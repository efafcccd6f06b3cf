/** What a server says about how to use it, in its own words. */
import { serverDetail as texts } from "../messages/ServerDetailMessages.ts"
import { ServerQuote } from "../questions/ServerQuote.tsx"
import "../questions/questions.css"

export const Instructions = ({ server, text }: { readonly server: string; readonly text: string }) => (
  <section class="instructions" aria-label={texts.instructionsOf(server)}>
    <h2 class="section-heading">{texts.instructions}</h2>
    <p class="muted small">{texts.ownWords}</p>
    <ServerQuote server={server} text={text} label={texts.saidBy(server)} />
  </section>
)
