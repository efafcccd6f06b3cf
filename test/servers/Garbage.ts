/** Writes binary garbage to standard output, line ends and all, and never a message. */
import { randomBytes } from "node:crypto"

const timer = setInterval(() => process.stdout.write(randomBytes(4096)), 20)
process.stdin.resume().on("end", () => clearInterval(timer))
