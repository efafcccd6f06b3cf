/** Where the parts of a checkout are. In the published package `scripts/PackageBuild.mjs` puts another module here. */
import { fileURLToPath } from "node:url"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The root of the checkout; null in the published package. */
export const checkout: string | null = at("../../../../")

/** The folder with the built page. */
export const page: string = at("../../../web/dist")

/** The folders with the commands that come along, Node among them. */
export const commands: ReadonlyArray<string> = [at("../../node_modules/.bin"), at("../../../../node_modules/.bin")]

/** The file that Node runs as the `boocode` command. */
export const entry: string = at("../../../../scripts/Boocode.mjs")

/** The program of the thread that reads a PDF. */
export const pdfPages = new URL("../services/PdfPages.ts", import.meta.url)

/** The program of the thread in which programs of models run, and the engine that it loads. */
export const sandbox = {
  program: new URL("../../../../packages/mcp-node/src/code/SandboxThread.ts", import.meta.url),
  engine: new URL("../../../../packages/mcp-node/node_modules/quickjs-wasi/quickjs.wasm", import.meta.url)
}
