/** The words of allowing a command to log in. */
import { translated } from "../../language/Language.ts"

export const device = translated(
  "device",
  {
    title: "Log in a command",
    about: "boocode login shows a code. Type it here only if you started that command yourself, a moment ago.",
    code: "Code",
    next: "Continue",
    asks: (name: string) => `${name} asks to act for you`,
    asksAbout: "The machine gives itself this name. Deny it if it is not yours: it would read and write as you do.",
    may: "It may",
    allow: "Allow",
    deny: "Deny",
    allowed: "Allowed. The command goes on by itself in a few seconds.",
    allowedHint: "Your account lists its token, and takes it back.",
    denied: "Denied. The command got nothing."
  } as const
)
