/** The words around the files and the pages that tools gave. */
import { translated } from "../../language/Language.ts"

export const media = translated(
  "media",
  {
    from: (tool: string) => `a file from ${tool}`,
    sound: (name: string) => `Sound: ${name}`,
    picture: (name: string) => `Picture: ${name}`,
    save: (name: string) => `Save ${name}`,
    sources: "Sources",
    source: (number: number, title: string) => `Source ${number}: ${title}`,
    more: (number: number) => `${number} more`
  } as const
)
