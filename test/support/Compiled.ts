/** What the test run has compiled already: a fixture server takes two thirds of its start to strip types and compile. */

const { BOOCODE_TEST_COMPILED } = process.env

/** Flags with which a Node takes it that gets no variable of the host's, as servers do; none where a test runs by itself. */
export const FLAGS: ReadonlyArray<string> = BOOCODE_TEST_COMPILED === undefined
  ? []
  : ["--require", BOOCODE_TEST_COMPILED]
