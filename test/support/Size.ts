/** Some promises are proven by a small number of anything, and shown to last by a large one. */

/** Whether `pnpm test:long` asks: it takes the large numbers, and may take minutes for one test. */
export const IS_LONG = process.env["BOOCODE_TEST_LONG"] !== undefined

/** `small` in `pnpm test`, `large` in `pnpm test:long`. */
export const sized = <A>(small: A, large: A): A => IS_LONG ? large : small
