/** Writes lines of binary noise between its messages: bytes that are no UTF-8, zeros, escape sequences. */
import { serveTools } from "./ZooServer.ts"

const noise = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x7b, 0x22, 0x80, 0x0a])

const pollute = () => process.stdout.write(noise)

pollute()
serveTools("noise", {}, { beforeAnswer: pollute })
