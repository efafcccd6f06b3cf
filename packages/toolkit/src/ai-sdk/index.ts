/** The public names of toolkit for programs that use the `ai` package. */
export * as AiSdkTools from "./AiSdkTools.ts"
