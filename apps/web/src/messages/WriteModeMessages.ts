/** What is said where a person chooses whether tools can write in a chat. */
export const writeChoice = {
  label: "Tools that write",
  off: "Off",
  ask: "Ask",
  rules: "Rules",
  modes: { off: "off", ask: "ask", rules: "rules" },
  about: {
    off: "No tool that writes is called.",
    ask: "Tools that write are called after your yes, unless a rule allows or refuses the call.",
    rules: "Tools that write are called where a rule allows it, and refused otherwise."
  },
  askAnyway: (servers: string) => `The entries of ${servers} have their tools ask all the same.`,
  fromFile: "permissions.jsonc says so. What you choose here is for this chat alone.",
  until: "Until",
  thisChat: "For this chat",
  anHour: "For an hour",
  midnight: "Until midnight",
  back: (mode: string) => `As permissions.jsonc says: ${mode}`,
  journal: "What was written",
  permissions: "Permissions"
} as const
