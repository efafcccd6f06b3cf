/** Colours, for terminals only. */

export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly careful: (text: string) => string
}

const same = (text: string): string => text
const code = (open: number, close: number) => (text: string): string => `\u001B[${open}m${text}\u001B[${close}m`

export const NONE: Paint = { bold: same, dim: same, good: same, bad: same, careful: same }

export const COLOURS: Paint = {
  bold: code(1, 22),
  dim: code(2, 22),
  good: code(32, 39),
  bad: code(31, 39),
  careful: code(33, 39)
}
