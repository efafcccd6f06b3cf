/** What a person types to run this command: in a checkout there is no `boocode` on the path, as README has it. */
import * as Installation from "@boocode/chat-server/Installation"

export const typedCommand: string = Installation.checkout === null ? "boocode" : "npx -y pnpm@12 boocode"
