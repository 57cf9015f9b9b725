#!/usr/bin/env bun
import { CommanderError } from 'commander'
import { commandLineMessage } from './command-line.ts'
import { EXIT_UNUSABLE } from './exit-status.ts'
import { dholeProgram } from './program.ts'
import { isServing } from './serve.ts'
import { printError } from './terminal/output.ts'

// Before anything is written: all that the server and the commands make is for their user alone.
process.umask(0o077)

/** What a write to a pipe that nobody reads fails with, the first one and those after it. */
const CLOSED_PIPE = new Set(['EPIPE', 'ERR_STREAM_DESTROYED'])

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

const program = dholeProgram()
const words = process.argv.slice(2)
try {
  if (words.length === 0) program.outputHelp()
  else await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version have been printed, also the help of a group that was named without one of its commands.
    if (error.exitCode === 0) process.exit(0)
    if (error.code !== 'commander.help') printError(commandLineMessage(program, words, error))
  } else if (isClosedPipe(error)) process.exit(0)
  else printError(error)
  process.exit(EXIT_UNUSABLE)
}

/** A write to a pipe that nobody reads any more. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CLOSED_PIPE.has(String(error.code))
}
