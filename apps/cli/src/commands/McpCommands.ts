/** The verbs of `mcp`, in the order of its help. */
import * as Command from "effect/cli/Command"
import { add } from "../edit/McpAdd.ts"
import { disable, enable, remove } from "../edit/McpEdit.ts"
import { exporting } from "../edit/McpExport.ts"
import { importing } from "../edit/McpImport.ts"
import { writes } from "../edit/McpWrites.ts"
import { discover, install, outdated, upgrade } from "../install/RegistryVerbs.ts"
import { doctor } from "../mcp/doctor/McpDoctor.ts"
import { call } from "../mcp/McpCall.ts"
import { clients } from "../mcp/McpClients.ts"
import { logLevel, ping, refresh, restart, start, stop } from "../mcp/McpControl.ts"
import { get } from "../mcp/McpGet.ts"
import { list } from "../mcp/McpList.ts"
import { login, logout } from "../mcp/McpLogin.ts"
import { logs } from "../mcp/McpLogs.ts"
import { prompt, prompts } from "../mcp/McpPrompts.ts"
import { read, resources } from "../mcp/McpResources.ts"
import { serving } from "../mcp/McpServe.ts"
import { search, tools } from "../mcp/McpTools.ts"
import { approve, reject, revoke } from "../mcp/McpTrust.ts"
import { secret } from "../people/SecretVerbs.ts"

export const mcp = Command.make("mcp").pipe(
  Command.withDescription("Look at MCP servers, add and remove them, and use their tools"),
  Command.withSubcommands([
    list,
    tools,
    search,
    call,
    prompts,
    prompt,
    resources,
    read,
    get,
    doctor,
    discover,
    install,
    outdated,
    upgrade,
    add,
    remove,
    enable,
    disable,
    writes,
    importing,
    exporting,
    serving,
    clients,
    start,
    stop,
    restart,
    refresh,
    ping,
    logs,
    logLevel,
    login,
    logout,
    secret,
    approve,
    reject,
    revoke
  ])
)
