/** The turns of `pnpm bench people`: how the scripted model answers, and how many of them go at once. */

/** Ten words, two calls of a tool side by side, ten words more. */
export const PACE = { words: 10, everyMillis: 15, tool: "patient_wait", calls: 2 }

export const LEVELS = [1, 5, 10, 20]
