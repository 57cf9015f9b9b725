import { readFileSync, statSync } from 'node:fs'

/** A line of a write lock: its process, and the file as `<major>:<minor>:<inode>`. */
const WRITE_LOCK = /^\d+: POSIX +\S+ +WRITE (\d+) ([0-9a-f]+:[0-9a-f]+:\d+) /gm

/** Id of the other process that holds a lock on a file; `undefined` where it is unknown. Linux only. */
export function lockHolder(file: string): number | undefined {
  try {
    const wanted = lockedAs(file)
    for (const [, pid, locked] of readFileSync('/proc/locks', 'utf8').matchAll(WRITE_LOCK)) {
      if (locked === wanted && Number(pid) > 0 && Number(pid) !== process.pid) return Number(pid)
    }
  } catch {
    // The id only adds to an error message.
  }
  return undefined
}

/** The file as `/proc/locks` names it: major and minor device number in hexadecimal digits, and inode. */
function lockedAs(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true })
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n)
  return `${part(major)}:${part(minor)}:${ino}`
}

function part(number: bigint): string {
  return number.toString(16).padStart(2, '0')
}
