/** The text with the marks around results, each without the number that differs from run to run. */
export const unnumbered = (text: string): string => text.replaceAll(/(<\/?tool_result)_[0-9a-f]{8}(?=[ >])/g, "$1")
