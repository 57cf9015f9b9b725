import { readFileSync, statSync } from 'node:fs'

/** A lock for writing, its process, and the file as `<major>:<minor>:<inode>`. */
const WRITE_LOCK = /^\d+: POSIX +\S+ +WRITE (\d+) ([0-9a-f]+:[0-9a-f]+:\d+) /gm

/** The other process that has a file locked, by its id; `undefined` where the system does not say. Linux only. */
export function lockHolder(file: string): number | undefined {
  try {
    const wanted = lockedAs(file)
    for (const [, pid, locked] of readFileSync('/proc/locks', 'utf8').matchAll(WRITE_LOCK)) {
      if (locked === wanted && Number(pid) > 0 && Number(pid) !== process.pid) return Number(pid)
    }
  } catch {
    // A message without it is still right.
  }
  return undefined
}

/** As the list of locks names it: device in two parts of hexadecimal digits, and inode. */
function lockedAs(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true })
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n)
  return `${part(major)}:${part(minor)}:${ino}`
}

function part(number: bigint): string {
  return number.toString(16).padStart(2, '0')
}
