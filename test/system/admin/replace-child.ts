/**
 * Replaces the file of a tree and loses power before one of the calls that change the folder.
 * Arguments: file, staged file, kept file or `-`, number of calls that are done. Prints `done` when it came to the end.
 */
import { mock } from 'bun:test'
import * as fs from 'node:fs'

const [file = '', staged = '', kept = '', calls = ''] = process.argv.slice(2)
let left = Number(calls)

function losingPower<A extends unknown[], R>(call: (...given: A) => R): (...given: A) => R {
  return (...given) => {
    // Nothing of this process happens any more, not even what it does when something fails.
    if (left-- <= 0) process.kill(process.pid, 'SIGKILL')
    return call(...given)
  }
}

const real = { ...fs }
mock.module('node:fs', () => ({
  ...real,
  renameSync: losingPower(real.renameSync),
  rmSync: losingPower(real.rmSync),
  openSync: losingPower(real.openSync),
  writeSync: losingPower(real.writeSync as (...given: unknown[]) => number),
  fsyncSync: losingPower(real.fsyncSync),
}))

// Only now, so that it finds the calls that lose power.
const { replaceFile } = await import('../../../src/store/sqlite/file/replace.ts')
replaceFile(file, { staged, kept: kept === '-' ? undefined : kept })
process.stdout.write('done')
