/** The examples that came out in another way than their writer expects. */
import type { FailedExample } from "../api/Types.ts"
import { permissions as words } from "../messages/PermissionsMessages.ts"
import { Notice } from "../ui/Notice.tsx"

const cameOut = ({ expect, outcome, why }: FailedExample): string =>
  outcome === null ? words.unknownTool(why) : words.came(outcome, expect, why)

export const FailedExamples = ({ examples }: { readonly examples: ReadonlyArray<FailedExample> }) =>
  examples.length === 0 ? null : (
    <Notice tone="warn" isUrgent>
      <p>{words.failed(examples.length)}</p>
      <ul class="failed-examples">
        {examples.map((example) => (
          <li key={JSON.stringify(example)}>
            <code>{example.tool} {JSON.stringify(example.args)}</code> {cameOut(example)}
          </li>
        ))}
      </ul>
    </Notice>
  )
