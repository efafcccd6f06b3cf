/** Which providers of models can be used, and what their models read and cost. */
import { dollars, short } from "../messages/Numbers.ts"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { models } from "../state/Catalog.ts"
import { Badge } from "../ui/Badge.tsx"

export const ModelsTable = () => {
  const known = models.value
  if (known === null) return null
  const suggested = known.models.flatMap(({ suggested: some }) => some)
  return (
    <section class="setting-group" aria-label={texts.providers}>
      <h2 class="section-heading">{texts.providers}</h2>
      <p class="muted">
        {known.default === null ? known.command.help : (
          <>
            {texts.defaultModel} <code>{known.default}</code>.
          </>
        )}
      </p>
      <ul class="provider-list">
        {known.models.map(({ example, missing, provider, ready }) => (
          <li key={provider}>
            <strong>{provider}</strong>
            <Badge {...(ready ? { tone: "good" as const } : {})}>{ready ? "ready" : texts.notSetUp}</Badge>
            <span class="muted">{ready ? texts.forExample(example) : missing ?? ""}</span>
          </li>
        ))}
      </ul>
      {suggested.length === 0 ?
        null :
        (
          <div class="table-box" tabIndex={0} role="region" aria-label={texts.modelTable}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{texts.model}</th>
                  <th scope="col" class="amount">{texts.reads}</th>
                  <th scope="col" class="amount">{texts.inPerMillion}</th>
                  <th scope="col" class="amount">{texts.outPerMillion}</th>
                </tr>
              </thead>
              <tbody>
                {suggested.map(({ contextTokens, id, inputPrice, outputPrice }) => (
                  <tr key={id}>
                    <th scope="row">
                      <code>{id}</code>
                    </th>
                    <td class="amount">{contextTokens === null ? "unknown" : short(contextTokens)}</td>
                    <td class="amount">{inputPrice === null ? "unknown" : dollars(inputPrice)}</td>
                    <td class="amount">{outputPrice === null ? "unknown" : dollars(outputPrice)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
    </section>
  )
}
