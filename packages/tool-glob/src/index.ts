/** The public names of tool-glob. */
export * as ToolGlob from "./ToolGlob.ts"
