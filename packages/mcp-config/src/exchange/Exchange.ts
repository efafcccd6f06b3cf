/** The public names about other applications' files. They stand apart so that only who needs them loads them. */
export * as KeyGuide from "../entry/KeyGuide.ts"
export * as ConfigShape from "../shapes/ConfigShape.ts"
export * as Applications from "./Applications.ts"
export * as ConfigExport from "./ConfigExport.ts"
export * as ConfigImport from "./ConfigImport.ts"
export * as Departure from "./Departure.ts"
export * as EntryAdvice from "./EntryAdvice.ts"
export * as PastedText from "./PastedText.ts"
