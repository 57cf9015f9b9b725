import { expect, test } from 'bun:test'
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { WalFile } from '../../../src/store/sqlite/commit/wal-file.ts'
import { turns } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

const LIMIT = 256 * 1024
const FRAME = new Uint8Array(3000).fill(7)
const ROUNDS = 300

test('zeros that are written ahead overwrite no frame that is written meanwhile', async () => {
  await using dir = await tempDir()
  const file = dir.file('tree')
  const log = openSync(`${file}-wal`, 'w+')
  const wal = new WalFile(file, LIMIT)
  let used = 0
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const making = wal.makeRoom(used)
      // As SQLite does it: at the end of the log, within the zeros or beyond them.
      const frames = round % 7 === 0 ? 40 : 2
      for (let frame = 0; frame < frames; frame++) {
        writeSync(log, FRAME, 0, FRAME.length, used)
        used += FRAME.length
      }
      if (round % 3 === 0) await making
    }
    while (fstatSync(log).size <= used) {
      await wal.makeRoom(used)
      await turns(1)
    }
    const written = new Uint8Array(used)
    expect(readSync(log, written, 0, used, 0)).toBe(used)
    expect(written.every((byte) => byte === 7)).toBe(true)
  } finally {
    await wal.close()
    closeSync(log)
  }
})
