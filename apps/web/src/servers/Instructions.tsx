/** What a server says about how to use it, in its own words. */
import { ServerQuote } from "../questions/ServerQuote.tsx"
import "../questions/questions.css"

export const Instructions = ({ server, text }: { readonly server: string; readonly text: string }) => (
  <section class="instructions" aria-label={`Instructions of ${server}`}>
    <h2 class="section-heading">Instructions</h2>
    <p class="muted small">
      The server's own words. Models read them, as its words, where an agent has what it offers.
    </p>
    <ServerQuote server={server} text={text} label={`What ${server} says`} />
  </section>
)
