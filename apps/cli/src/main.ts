#!/usr/bin/env node
/** Runs `boocode` from its sources. Compiled code is kept in the checkout, where nobody else can write. */
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

// Before anything else is imported: most of a short command's time goes into compiling what it imports.
enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/boocode", import.meta.url)))

await import("./Launch.ts")
