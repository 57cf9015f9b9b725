import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

/** Folder in memory, where Linux has one. */
const FOLDER = '/dev/shm'
const LEAST_BYTES = 4 * 1024 ** 3

/**
 * Puts the temporary folders of tests into memory, unless `TMPDIR` says where: most tests make a database of their own,
 * and would wait for the disk most of the time. The long lane sets `TMPDIR`, so that it runs on the disk.
 */
if (process.env['TMPDIR'] === undefined && hasRoom() && canExecute()) process.env['TMPDIR'] = FOLDER

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(FOLDER)
    return Math.min(bavail * bsize, freemem()) > LEAST_BYTES
  } catch {
    return false
  }
}

/** Some tests compile and run programs in their folder. */
function canExecute(): boolean {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(FOLDER, 'dhole-exec-'))
    const file = join(folder, 'true')
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(file).status === 0
  } catch {
    return false
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}
