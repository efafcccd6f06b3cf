/** The models to choose from: what they read, see and cost, and when each was used last. */
import { dollars, short } from "../messages/Numbers.ts"
import { modelTable as words } from "../messages/SettingsMessages.ts"
import { models } from "../state/Catalog.ts"

export const ModelsTable = () => {
  const known = models.value
  if (known === null) return null
  const suggested = known.models.flatMap(({ suggested: some }) => some)
  return (
    <section class="setting-group" aria-label={words.heading}>
      <h2 class="section-heading">{words.heading}</h2>
      <p class="muted">{known.default === null ? words.noDefault : words.default(known.default)}</p>
      {suggested.length === 0 ?
        null :
        (
          <div class="table-box" tabIndex={0} role="region" aria-label={words.table}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{words.model}</th>
                  <th scope="col" class="amount">{words.reads}</th>
                  <th scope="col">{words.pictures}</th>
                  <th scope="col" class="amount">{words.input}</th>
                  <th scope="col" class="amount">{words.output}</th>
                  <th scope="col">{words.used}</th>
                </tr>
              </thead>
              <tbody>
                {suggested.map(({ contextTokens, id, inputPrice, outputPrice, seesImages, used }) => (
                  <tr key={id}>
                    <th scope="row">
                      <code>{id}</code>
                    </th>
                    <td class="amount">{contextTokens === null ? words.unknown : short(contextTokens)}</td>
                    <td>{seesImages === null ? words.unknown : seesImages ? words.seesThem : words.seesNone}</td>
                    <td class="amount">{inputPrice === null ? words.unknown : dollars(inputPrice)}</td>
                    <td class="amount">{outputPrice === null ? words.unknown : dollars(outputPrice)}</td>
                    <td>{used === null ? "" : new Date(used).toLocaleDateString()}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
    </section>
  )
}
