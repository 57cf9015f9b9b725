#!/usr/bin/env bun
import { EXIT_UNUSABLE } from './exit-status.ts'
import { isClosedPipe, runCommandLine } from './run.ts'
import { isServing } from './serve.ts'
import { printError } from './terminal/output.ts'

// Before any file is written: every new file is for this user alone.
process.umask(0o077)

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A server goes on without a reader of its output.
    if (isServing()) return
    // A reader that ends early, such as `head`, is no error.
    if (isClosedPipe(error)) process.exit(0)
    if (stream === process.stdout) printError(error)
    process.exit(EXIT_UNUSABLE)
  })
}

const status = await runCommandLine(process.argv.slice(2))
if (status !== undefined) process.exit(status)
