/** Never answers anything. Reads its input, and goes at its end. */
process.stderr.write("silent: started, and that is all you will hear\n")
process.stdin.resume().on("end", () => process.exit(0))
