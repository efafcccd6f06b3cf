/** The words of the page about older versions of a fleet's configuration. */
import { translated } from "../../language/Language.ts"

export const history = translated(
  "history",
  {
    title: "Earlier configuration",
    link: "Earlier versions of the configuration",
    linkAbout: "what changed, who changed it, and going back to it",
    about:
      "The fleet keeps 50 versions of each file of its configuration. A version that you restore becomes the newest one, " +
      "and every node takes it over at once.",
    reading: "Reading …",
    none: "No version is kept.",
    newest: "newest",
    version: (version: number) => `Version ${version}`,
    by: (time: string, author: string) => `${time}, by ${author}`,
    removedBy: (time: string, author: string) => `${time}, removed by ${author}`,
    compare: "Compare",
    compareOf: (file: string, version: number) => `Compare version ${version} of ${file}`,
    more: (count: number) => `Show ${count} older`,
    restoreTitle: (file: string, version: number) => `Restore version ${version} of ${file}`,
    changes: (newest: number) => `This changes the newest version, ${newest}, as follows. Secrets are hidden.`,
    hiddenOnly: (newest: number) =>
      `It differs from the newest version, ${newest}, only in secrets, which are hidden here.`,
    same: (newest: number) => `It is the same as the newest version, ${newest}.`,
    removes: "This version has no such file: restoring it removes the file.",
    difference: "What differs",
    restore: "Restore it",
    restored: (file: string, version: number) => `${file} is restored, as version ${version}`
  } as const
)
