#!/usr/bin/env bun
import { EXIT_UNUSABLE } from './exit-status.ts'
import { isClosedPipe, runCommandLine } from './run.ts'
import { isServing } from './serve.ts'
import { printError } from './terminal/output.ts'

// Before anything is written: all that the server and the commands make is for their user alone.
process.umask(0o077)

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A server is there for others than the reader of what it prints.
    if (isServing()) return
    // A reader that goes early, as `head` does, has what it wants.
    if (isClosedPipe(error)) process.exit(0)
    if (stream === process.stdout) printError(error)
    process.exit(EXIT_UNUSABLE)
  })
}

const status = await runCommandLine(process.argv.slice(2))
if (status !== undefined) process.exit(status)
