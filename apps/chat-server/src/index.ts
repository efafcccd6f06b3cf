/** The public names of chat-server. */
export { toolDocument } from "./ApiDocuments.ts"
export * as App from "./App.ts"
export { ChatApi } from "./ChatApi.ts"
export { DataFolder, type DataFolderOptions } from "./DataFolder.ts"
export { DefaultModel } from "./DefaultModel.ts"
export { serve } from "./Serve.ts"
export { Signals } from "./Shutdown.ts"
export { CannotListen, PortBusy } from "./Startup.ts"
