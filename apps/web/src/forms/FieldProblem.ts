/** A problem with one value of a form, and the words of its place. Pure. */

export interface FieldProblem {
  /** As the server writes it: `filter.items[2]`. */
  readonly path: string
  readonly message: string
  /** Nothing was typed. */
  readonly isMissing?: boolean
}

/** The path of a key below another path. */
export const below = (path: string, key: string): string => {
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  if (/^\d+$/.test(key)) return `${path}[${key}]`
  return path === "" ? key : `${path}.${key}`
}

/** With a capital and a full stop. */
export const sentence = (words: string): string =>
  `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${words.endsWith(".") ? "" : "."}`
